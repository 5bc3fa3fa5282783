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

std::string address_of(const core::UrlHost& host) {
  const bool ipv6 = host.name.find(':') != std::string::npos;
  const std::string name = ipv6 ? "[" + host.name + "]" : host.name;
  return name + ":" + std::to_string(host.port.value_or(default_port));
}

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

}  // namespace

Result<ZooKeeperOptions> read_zookeeper_url(const core::Url& url) {
  constexpr std::array<std::string_view, 3> known{"auth_file", "readers", "also"};
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
    if (!options.servers.empty()) options.servers += ",";
    options.servers += address_of(host);
  }
  while (full.path.ends_with('/')) full.path.pop_back();
  if (!full.path.empty()) {
    const Result<void> sound = check_path(full.path);
    if (!sound) return make_error(Errc::invalid, "bad_url", sound.error().message);
  }
  options.chroot = full.path;
  options.url = core::to_string(full);
  auto parameter = [&](const char* name) {
    const auto found = url.parameters.find(name);
    return found == url.parameters.end() ? std::string() : found->second;
  };
  if (const std::string path = parameter("auth_file"); !path.empty()) {
    Result<std::string> digest = read_auth_file(path);
    if (!digest) return digest.error();
    options.identity.digest = *std::move(digest);
  }
  options.identity.readers = split_list(parameter("readers"));
  options.identity.also = split_list(parameter("also"));
  return options;
}

}  // namespace locker::backends::zookeeper
