#include "backends/registry.h"

#include <boost/asio/io_context.hpp>

#include "tests/local/support.h"
#include "tests/support/test.h"

using namespace locker;
using namespace locker::backends;

namespace {

struct Maker {
  boost::asio::io_context io;
  BackendContext context;

  Maker() { context.executor = io.get_executor(); }
  Result<std::unique_ptr<runtime::LockBackend>> make(const std::string& url) {
    return make_backend(url, context);
  }
};

}  // namespace

TEST_CASE("B06: a URL names a backend or is refused with the forms that are right") {
  Maker maker;
  CHECK(maker.make("local:/some/dir").value()->url() == "local:/some/dir");
  CHECK(maker.make("LOCAL:/some/dir/").value()->url() == "local:/some/dir");
  CHECK(maker.make("zk://h,[::1]:7/lake/").value()->url() == "zk://h:2181,[::1]:7/lake");
  for (const char* url : {"zk://", "zk:/lake", "zk://h?tsl=on", "zk://h?ca_file=/ca",
                          "zk://h?tls=yes", "zk://h?tls=on&relay=off", "nonsense", "", "local:dir",
                          "local://host/dir", "local:/dir?wait=1", "flock:/dir"}) {
    CAPTURE(url);
    const auto made = maker.make(url);
    REQUIRE_FALSE(made);
    CHECK(made.error().errc == Errc::invalid);
    CHECK(made.error().code == "bad_url");
  }
  CHECK_THAT(maker.make("flock:/dir").error().message, Catch::Contains("local:[/dir]"));
  CHECK_THAT(maker.make("local:/dir?wait=1").error().message, Catch::Contains("wait"));
}

TEST_CASE("every built-in backend says what it promises") {
  const std::vector<BackendAbout> all = built_in();
  REQUIRE(all.size() == 2);
  for (const BackendAbout& facts : all) {
    for (const std::string& text : {facts.scheme, facts.url_form, facts.what, facts.liveness,
                                    facts.order, facts.not_promised, facts.library}) {
      CHECK_FALSE(text.empty());
    }
  }
  CHECK_THAT(all[0].library, Catch::StartsWith("SQLite 3."));
  CHECK_THAT(all[1].library, Catch::StartsWith("ZooKeeper C client 3."));
}
