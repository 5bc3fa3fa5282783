#include "backends/zookeeper/zookeeper_url.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <sys/stat.h>

#include "backends/zookeeper/path_rules.h"
#include "core/visible_text.h"

namespace locker::backends::zookeeper {
namespace {

constexpr std::uint16_t default_port = 2181;

Error bad_file(const std::string& path, const std::string& what) {
  return make_error(Errc::config, "bad_auth_file",
                    "The auth file " + core::visible_text(path) + " " + what);
}

// One line, user:password, in a file that nobody else can read.
Result<std::string> read_auth_file(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) {
    return bad_file(path, std::string("cannot be read (") + std::strerror(errno) + ").");
  }
  constexpr mode_t others = S_IRWXG | S_IRWXO;
  if ((facts.st_mode & others) != 0) {
    return bad_file(path, "can be read by other users; chmod 600 it.");
  }
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  if (!file && line.empty()) return bad_file(path, "cannot be read, or is empty.");
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == line.size()) {
    return bad_file(path, "has no line of the form user:password.");
  }
  return line;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) entries.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return entries;
}

std::string parameter(const core::Url& url, std::string_view name) {
  const auto found = url.parameters.find(name);
  return found == url.parameters.end() ? std::string() : found->second;
}

// "on" or "off"; what `otherwise` says where there is no such parameter.
Result<bool> read_switch(const core::Url& url, std::string_view name, bool otherwise) {
  const std::string text = parameter(url, name);
  if (text.empty()) return otherwise;
  if (text == "on" || text == "off") return text == "on";
  return make_error(Errc::invalid, "bad_url",
                    "The parameter " + std::string(name) +
                        " of a ZooKeeper URL is on or off, not " + core::visible_text(text) + ".");
}

// How the servers are reached: TLS, and the relay.
Result<void> read_ways(const core::Url& url, ZooKeeperOptions& options) {
  const Result<bool> tls = read_switch(url, "tls", false);
  if (!tls) return tls.error();
  for (const std::string_view name : {"ca_file", "cert_file", "key_file"}) {
    if (*tls || parameter(url, name).empty()) continue;
    return make_error(Errc::invalid, "bad_url",
                      "The parameter " + std::string(name) +
                          " of a ZooKeeper URL is for TLS; write tls=on beside it.");
  }
  if (*tls) {
    options.tls = TlsOptions{parameter(url, "ca_file"), parameter(url, "cert_file"),
                             parameter(url, "key_file")};
  }
  const Result<bool> relay = read_switch(url, "relay", *tls || options.servers.size() > 1);
  if (!relay) return relay.error();
  options.relays = *relay;
  if (*tls && !*relay) {
    return make_error(Errc::invalid, "bad_url",
                      "TLS to ZooKeeper goes by the relay; leave relay=off out.");
  }
  return {};
}

}  // namespace

Result<ZooKeeperOptions> read_zookeeper_url(const core::Url& url) {
  constexpr std::array<std::string_view, 8> known{"auth_file", "readers",   "also",     "tls",
                                                  "ca_file",   "cert_file", "key_file", "relay"};
  Result<void> parameters = core::check_parameters(url, known);
  if (!parameters) return parameters.error();
  if (url.hosts.empty()) {
    return make_error(Errc::invalid, "bad_url",
                      "A ZooKeeper URL names its servers: zk://h1:2181,h2:2181,h3:2181/chroot.");
  }
  ZooKeeperOptions options;
  core::Url full = url;
  for (core::UrlHost& host : full.hosts) {
    host.port = host.port.value_or(default_port);
  }
  options.servers = full.hosts;
  while (full.path.ends_with('/')) full.path.pop_back();
  if (!full.path.empty()) {
    const Result<void> sound = check_path(full.path);
    if (!sound) return make_error(Errc::invalid, "bad_url", sound.error().message);
  }
  // A tree inside the tree: whoever leaves the name out would not be excluded.
  constexpr std::string_view tree_name = "/hive_locks";
  if (full.path.ends_with(tree_name)) {
    core::Url meant = full;
    meant.path.resize(full.path.size() - tree_name.size());
    return make_error(
        Errc::invalid, "bad_url",
        "The locks are kept in hive_locks below the chroot, so leave that name out: " +
            core::to_string(meant));
  }
  options.chroot = full.path;
  options.url = core::to_string(full);
  if (const std::string path = parameter(url, "auth_file"); !path.empty()) {
    Result<std::string> digest = read_auth_file(path);
    if (!digest) return digest.error();
    options.identity.digest = *std::move(digest);
  }
  Result<void> ways = read_ways(url, options);
  if (!ways) return ways.error();
  options.identity.readers = split_list(parameter(url, "readers"));
  options.identity.also = split_list(parameter(url, "also"));
  return options;
}

}  // namespace locker::backends::zookeeper
