// A real server behind lines that are cut; by in_own_network.py and with_zookeeper.py.

#include <memory>
#include <string>
#include <vector>

#include "tests/support/test.h"
#include "tests/zookeeper/relay/cut.h"
#include "tests/zookeeper/relay/relay_fixture.h"
#include "tests/zookeeper/support.h"

using namespace locker;
using namespace locker::tests;
using namespace locker::backends::zookeeper;

namespace {

// Three ways to one real server, as if it were an ensemble of three.
struct Ways {
  Ways() {
    const std::string address = test_server();
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    for (int count = 0; count < 3; ++count) {
      ways.push_back(std::make_unique<FakeServer>(forwarding(port)));
    }
    options = relay_to({ways[0]->host(), ways[1]->host(), ways[2]->host()});
    // Of this a client waits two thirds on each server that is cut off; a session that has to find
    // its way past two of them by itself is lost.
    options.session_timeout = std::chrono::seconds(6);
  }

  // The way that the newest connection took, told by their counts before.
  std::size_t taken_since(const std::vector<int>& before) const {
    for (std::size_t index = 0; index < ways.size(); ++index) {
      if (ways[index]->connections() > before[index]) return index;
    }
    FAIL("no way was taken");
    return 0;
  }
  std::vector<int> counts() const {
    std::vector<int> all;
    for (const auto& each : ways) all.push_back(each->connections());
    return all;
  }

  std::vector<std::unique_ptr<FakeServer>> ways;
  RelayOptions options;
};

HandleOptions through(ZookeeperHost& host, const Relay& relay) {
  HandleOptions options = host.options();
  options.servers = "127.0.0.1:" + std::to_string(relay.port());
  options.session_timeout = std::chrono::seconds(6);
  return options;
}

}  // namespace

TEST_CASE("R09: a session that lives survives two of three servers that are cut off") {
  Ways ways;
  const auto relay = start_relay(ways.options);
  for (int turn = 0; turn < 3; ++turn) {
    ZookeeperHost host;
    const std::vector<int> before = ways.counts();
    const HandlePtr handle = host.connect(through(host, *relay));
    const std::int64_t session = handle->session_id();
    const std::string node = host.folder(handle) + "/mine";
    REQUIRE(host.answer(handle->create(node, "", NodeKind::ephemeral)));
    const std::size_t taken = ways.taken_since(before);
    {
      const Cut its_own(ways.ways[taken]->port());
      const Cut another(ways.ways[(taken + 1) % 3]->port());
      CHECK(host.until([&] { return !handle->in_contact() || handle->over().has_value(); }));
      CHECK(host.until([&] { return handle->in_contact() || handle->over().has_value(); }));
      CHECK_FALSE(handle->over().has_value());
      CHECK(handle->session_id() == session);
      CHECK(host.answer(handle->set(node, "still mine")).value().version == 1);
    }
    host.close(handle);
  }
}

TEST_CASE("a session begins although two of three servers are cut off") {
  Ways ways;
  const Cut one(ways.ways[0]->port());
  const Cut two(ways.ways[1]->port());
  const auto relay = start_relay(ways.options);
  for (int turn = 0; turn < 3; ++turn) {
    ZookeeperHost host;
    const HandlePtr handle = host.connect(through(host, *relay));
    CHECK(handle->session_id() != 0);
    host.close(handle);
  }
}
