#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/zookeeper/relay/relay.h"
#include "tests/zookeeper/relay/fake_server.h"
#include "tests/zookeeper/relay/line.h"

namespace locker::tests {

// The options of a relay to these servers, with the time-outs of a session of 10 s.
backends::zookeeper::RelayOptions relay_to(std::vector<core::UrlHost> servers);

// A relay that starts; the test fails if it does not.
std::unique_ptr<backends::zookeeper::Relay> start_relay(backends::zookeeper::RelayOptions options);
std::unique_ptr<backends::zookeeper::Relay> start_relay(std::vector<core::UrlHost> servers);

// A client of the relay that has sent its first packet.
Line ask(const backends::zookeeper::Relay& relay, const std::string& session = "session");

// What the next client of the relay is answered first; empty where its connection ends instead.
std::string answer_of(const backends::zookeeper::Relay& relay);

// The text of its last failure once the next client's connection has ended; empty where there is
// none.
std::string failure_of(const backends::zookeeper::Relay& relay);

}  // namespace locker::tests
