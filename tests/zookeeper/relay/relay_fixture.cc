#include "tests/zookeeper/relay/relay_fixture.h"

#include <utility>

#include "tests/support/test.h"

namespace locker::tests {

using backends::zookeeper::Relay;
using backends::zookeeper::RelayOptions;

RelayOptions relay_to(std::vector<core::UrlHost> servers) {
  RelayOptions options;
  options.servers = std::move(servers);
  options.session_timeout = std::chrono::seconds(10);
  return options;
}

std::unique_ptr<Relay> start_relay(RelayOptions options) {
  Result<std::unique_ptr<Relay>> relay = Relay::start(std::move(options));
  INFO((relay ? "" : relay.error().message));
  REQUIRE(relay);
  return *std::move(relay);
}

std::unique_ptr<Relay> start_relay(std::vector<core::UrlHost> servers) {
  return start_relay(relay_to(std::move(servers)));
}

Line ask(const Relay& relay, const std::string& session) {
  Line line = Line::connect(relay.port());
  REQUIRE(line.is_open());
  REQUIRE(line.send(packet(session)));
  return line;
}

std::string answer_of(const Relay& relay) {
  return receive_packet(ask(relay));
}

std::string failure_of(const Relay& relay) {
  const Line client = ask(relay);
  CHECK(client.receive_all().empty());
  const std::optional<Error> failure = relay.last_failure();
  return failure.has_value() ? failure->message : "";
}

}  // namespace locker::tests
