#include <memory>

#include "lockd/protocol/json.h"
#include "tests/support/test.h"

using namespace locker;
using namespace locker::lockd;

TEST_CASE("every class of error survives the wire") {
  for (const ErrcRow& row : errc_table()) {
    const Error error = make_error(row.errc, "finer", "What happened, \"and\" what to do.");
    const Error back = read_problem(row.http, problem_json(error, row.http, "r-1"));
    CHECK(back.errc == row.errc);
    CHECK(back.code == "finer");
    CHECK(back.message == error.message);
    CHECK(back.detail == nullptr);
  }
}

TEST_CASE("a time-out names the holders and the place") {
  Error error = make_error(Errc::timeout, "It is held.");
  ErrorDetail detail;
  detail.place = 3;
  detail.holders.resize(1);
  detail.holders[0].request = "feed";
  detail.holders[0].resource = PartitionSpec("ods", "t").with("dt", "1");
  detail.holders[0].owner.pid = 12;
  error.detail = std::make_shared<const ErrorDetail>(detail);
  const Error back = read_problem(423, problem_json(error, 423, "r-1"));
  REQUIRE(back.detail != nullptr);
  CHECK(back.detail->place == 3);
  REQUIRE(back.detail->holders.size() == 1);
  CHECK(back.detail->holders[0].resource == detail.holders[0].resource);
  CHECK(back.detail->holders[0].owner.pid == 12);
}

TEST_CASE("a client is told whether to ask again") {
  CHECK(name_of(retry_of(Errc::unavailable)) == "same");
  CHECK(name_of(retry_of(Errc::timeout)) == "new");
  CHECK(name_of(retry_of(Errc::invalid)) == "never");
  const std::string problem = problem_json(make_error(Errc::lost, "Gone."), 410, "r-9");
  CHECK(problem.find(R"("retry":"new")") != std::string::npos);
  CHECK(problem.find(R"("status":410)") != std::string::npos);
  CHECK(problem.find(R"("request_id":"r-9")") != std::string::npos);
}

TEST_CASE("an answer that is no problem is told as somebody else's") {
  for (const char* body : {"", "<html>Bad Gateway</html>", "[]", "{}", R"({"title":"lost"})",
                           R"({"title":"nonsense","detail":"x"})"}) {
    INFO(body);
    const Error error = read_problem(502, body);
    CHECK(error.errc == Errc::unavailable);
    CHECK(error.message.find("502") != std::string::npos);
  }
}
