// A session through the relay, in a process of its own, for test_ensemble.py.
//
//   relay_peer HOST:PORT[,HOST:PORT…] SESSION_TIMEOUT_MS
//
// Says "session HEX" once there is one. Then answers lines:
//
//   write      written VERSION, of a node that ends with the session; failed CLASS MESSAGE
//   contact    contact yes|no FAILURE, the relay's last one

#include <iostream>
#include <sstream>
#include <string>

#include "backends/zookeeper/relay/relay.h"
#include "tests/zookeeper/support.h"

using namespace locker;
using namespace locker::tests;
using namespace locker::backends::zookeeper;

namespace {

std::vector<core::UrlHost> servers_of(const std::string& text) {
  std::vector<core::UrlHost> servers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t colon = part.rfind(':');
    servers.push_back(
        {part.substr(0, colon), static_cast<std::uint16_t>(std::stoi(part.substr(colon + 1)))});
  }
  return servers;
}

void obey(const std::string& line, ZookeeperHost& host, const HandlePtr& handle, const Relay& relay,
          const std::string& node) {
  if (line == "write") {
    const Result<Stat> written = host.answer(handle->set(node, ""));
    if (written) {
      std::cout << "written " << written->version << std::endl;
    } else {
      std::cout << "failed " << name_of(written.error().errc) << " " << written.error().message
                << std::endl;
    }
  } else if (line == "contact") {
    const std::optional<Error> failure = relay.last_failure();
    std::cout << "contact " << (handle->in_contact() ? "yes " : "no ")
              << (failure.has_value() ? failure->message : "") << std::endl;
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 64;
  RelayOptions options;
  options.servers = servers_of(words[1]);
  options.session_timeout = std::chrono::milliseconds(std::stoi(words[2]));
  const auto relay = Relay::start(options);
  if (!relay) {
    std::cout << "failed " << relay.error().message << std::endl;
    return 1;
  }
  ZookeeperHost host;
  HandleOptions handle_options;
  handle_options.executor = host.context().get_executor();
  handle_options.clock = host.clock();
  handle_options.servers = "127.0.0.1:" + std::to_string((*relay)->port());
  handle_options.session_timeout = options.session_timeout;
  const HandlePtr handle = host.connect(handle_options);
  const std::string node = host.folder(handle) + "/mine";
  host.answer(handle->create(node, "", NodeKind::ephemeral)).value();
  std::cout << "session " << std::hex << handle->session_id() << std::dec << std::endl;
  for (std::string line; std::getline(std::cin, line);) obey(line, host, handle, **relay, node);
  host.close(handle);
  return 0;
}
