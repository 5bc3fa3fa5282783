#include "backends/zookeeper/server_list.h"

#include <charconv>
#include <cstddef>
#include <cstdint>

#include "core/visible_text.h"

namespace locker::backends::zookeeper {
namespace {

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, port);
  return failure == std::errc() && rest == end && port != 0;
}

// Empty where it is no server.
std::string client_server(std::string_view server) {
  const std::size_t colon = server.rfind(':');
  if (colon == std::string_view::npos || !is_port(server.substr(colon + 1))) return {};
  std::string_view host = server.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  // A slash would begin a chroot, which is the caller's to put before its paths.
  if (host.empty() || host.find_first_of("/[] \t\n") != std::string_view::npos) return {};
  return std::string(host) + std::string(server.substr(colon));
}

}  // namespace

Result<std::string> client_servers(std::string_view servers) {
  std::string all;
  for (std::size_t begin = 0; begin <= servers.size();) {
    const std::size_t end = std::min(servers.find(',', begin), servers.size());
    const std::string_view server = servers.substr(begin, end - begin);
    const std::string spelt = client_server(server);
    if (spelt.empty()) {
      return make_error(
          Errc::config, "bad_servers",
          "\"" + core::visible_text(server) + "\" is no server of ZooKeeper; write host:port.");
    }
    if (!all.empty()) all += ',';
    all += spelt;
    begin = end + 1;
  }
  return all;
}

}  // namespace locker::backends::zookeeper
