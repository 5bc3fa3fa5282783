// Runs in a network of its own, through in_own_network.py.

#include <string>
#include <thread>

#include "tests/support/test.h"
#include "tests/zookeeper/relay/cut.h"
#include "tests/zookeeper/relay/relay_fixture.h"

using namespace locker;
using namespace locker::tests;
using backends::zookeeper::RelayOptions;
using Catch::Matchers::Contains;

namespace {

RelayOptions quick_relay_to(std::vector<core::UrlHost> servers) {
  RelayOptions options = relay_to(std::move(servers));
  // A connection is ended when it is silent for a sixth of it.
  options.session_timeout = std::chrono::seconds(6);
  return options;
}

}  // namespace

TEST_CASE("servers that are cut off do not keep a client from the one that is not") {
  FakeServer one(answering("wrong"));
  FakeServer two(answering("wrong"));
  FakeServer server(answering("hello"));
  const Cut first(one.port());
  const Cut second(two.port());
  const auto relay = start_relay({one.host(), two.host(), server.host()});
  for (int turn = 0; turn < 8; ++turn) CHECK(answer_of(*relay) == "hello");
}

TEST_CASE("a connection through which nothing is acknowledged any more is ended") {
  FakeServer server(answering("hello"));
  const auto relay = start_relay(quick_relay_to({server.host()}));
  const Line client = ask(*relay);
  REQUIRE(receive_packet(client) == "hello");
  const Cut cut(server.port());
  REQUIRE(client.send(packet("ping")));
  // Left to itself the system would try for a quarter of an hour.
  CHECK(client.end() == Line::End::reset);
  REQUIRE(relay->last_failure().has_value());
  CHECK_THAT(relay->last_failure()->message, Contains("stopped acknowledging what is sent"));
}

TEST_CASE("an idle connection to a server that went away without a word is ended") {
  FakeServer server(answering("hello"));
  const auto relay = start_relay(quick_relay_to({server.host()}));
  const Line client = ask(*relay);
  REQUIRE(receive_packet(client) == "hello");
  const Cut cut(server.port());
  CHECK(client.end() == Line::End::reset);
}

TEST_CASE("a connection that is idle and well stays") {
  FakeServer server(answering("hello"));
  const auto relay = start_relay(quick_relay_to({server.host()}));
  const Line client = ask(*relay);
  REQUIRE(receive_packet(client) == "hello");
  // Three times what a dead one is given.
  std::this_thread::sleep_for(std::chrono::seconds(3));
  REQUIRE(client.send(packet("ping")));
  CHECK(receive_packet(client) == "hello");
}

TEST_CASE("a server that is cut off in the middle is asked last afterwards") {
  FakeServer one(answering("one"));
  FakeServer two(answering("two"));
  const auto relay = start_relay(quick_relay_to({one.host(), two.host()}));
  const Line client = ask(*relay);
  const std::string first = receive_packet(client);
  const std::string other = first == "one" ? "two" : "one";
  {
    const Cut cut(first == "one" ? one.port() : two.port());
    CHECK(client.end() == Line::End::reset);
  }
  for (int turn = 0; turn < 12; ++turn) CHECK(answer_of(*relay) == other);
}
