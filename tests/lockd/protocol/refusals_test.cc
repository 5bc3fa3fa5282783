#include <string>

#include "lockd/protocol/json.h"
#include "tests/support/test.h"

using namespace locker;
using namespace locker::lockd;

namespace {

struct Refusal {
  const char* body;
  const char* named;  // what the sentence must name
};

// Each is refused with one sentence that names what is wrong.
template <typename T>
void refused(Result<T> (*read)(std::string_view), const Refusal& refusal) {
  INFO(refusal.body);
  const Result<T> message = read(refusal.body);
  REQUIRE_FALSE(message.has_value());
  CHECK(message.error().errc == Errc::invalid);
  INFO(message.error().message);
  CHECK(message.error().message.find(refusal.named) != std::string::npos);
  CHECK(message.error().message.find('\x1b') == std::string::npos);
}

}  // namespace

TEST_CASE("S12: a body that is not one object of known members is refused by name") {
  for (const Refusal& refusal : {
           Refusal{"", "one JSON object"},
           {"[]", "one JSON object"},
           {"{", "one JSON object"},
           {"{} {}", "one JSON object"},
           {"null", "one JSON object"},
           {"{\"seen\": \"\xff\"}", "one JSON object"},
           {R"({"seen": 1, "seen": 2})", "\"seen\" stands twice"},
           {R"({"sen": 1})", "did you mean \"seen\""},
           {R"({"entirely_other": 1})", "\"entirely_other\""},
           {"{\"\\u001b[2J\": 1}", "is not known"},
           {R"({"seen": -1})", "\"seen\""},
           {R"({"seen": 1.5})", "\"seen\""},
           {R"({"seen": "1"})", "\"seen\""},
           {R"({"seen": 18446744073709551616})", "\"seen\""},
           {R"({"wait_ms": 99999999999999})", "\"wait_ms\""},
           {R"({"wait_ms": null})", "\"wait_ms\""},
       }) {
    refused(read_renew, refusal);
  }
}

TEST_CASE("a request for a lock that can't be meant is refused by name") {
  for (const Refusal& refusal : {
           Refusal{R"({"members": ["a.b"]})", "\"session\" of a lock is missing"},
           {R"({"session": "s"})", "\"members\" of a lock is missing"},
           {R"({"session": "s", "members": []})", "\"members\""},
           {R"({"session": "s", "members": {}})", "\"members\""},
           {R"({"session": "s", "members": [1]})", "\"members\""},
           {R"({"session": "s", "members": ["a.b/c"]})", "^"},
           {R"({"session": "s", "members": [{"resource": "a.b", "mode": "x"}]})",
            "\"exclusive\" or \"shared\""},
           {R"({"session": "s", "members": [{"resource": "a.b", "mod": "shared"}]})", "\"mode\"?"},
           {R"({"session": "s", "members": [{"database": "a", "partition": {"c": 1}}]})", "text"},
           {R"({"session": "s", "members": [{"table": "a"}]})", "\"database\""},
           {R"({"session": "s", "members": ["a.b"], "timeout_ms": "never"})", "\"timeout_ms\""},
           {R"({"session": "s", "members": ["a.b"], "timeout_ms": -1})", "\"timeout_ms\""},
           {R"({"session": "s", "members": ["a.b"], "tell_waiting": 1})", "\"tell_waiting\""},
           {R"({"session": 5, "members": ["a.b"]})", "\"session\""},
       }) {
    refused(read_ask_lock, refusal);
  }
}

TEST_CASE("L17: a lock's verb without its token is refused") {
  refused(read_with_token, {"{}", "\"token\""});
  refused(read_with_token, {R"({"token": "7"})", "\"token\""});
  refused(read_with_token, {R"({"token": 7})", "\"token\""});
  refused(read_break_lock, {"{}", "\"reason\""});
}

TEST_CASE("other members are refused by name, too") {
  refused(read_open_session, {R"({"kind": "forever"})", "\"kind\""});
  refused(read_open_session, {R"({"client": []})", "a client must be"});
  refused(read_open_session, {R"({"client": {"pid": -4}})", "\"pid\""});
  refused(read_prepare, {R"({"partitions": [], "until": "tomorrow"})", "\"until\""});
  refused(read_register_table, {R"({"columns": "dt"})", "\"columns\""});
  refused(read_register_table, {R"({"columns": [1]})", "\"columns\""});
  refused(read_register_table, {R"({"columns": ["a"], "replace": "yes"})", "\"replace\""});
}

TEST_CASE("a deep body is refused before anything is made of it") {
  const std::string deep =
      "{\"client\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  const auto message = read_open_session(deep);
  REQUIRE_FALSE(message.has_value());
  CHECK(message.error().message.find("deeper") != std::string::npos);
}
