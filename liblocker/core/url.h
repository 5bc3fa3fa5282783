#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locker/result.h>

namespace locker::core {

// A server of a coordinator: a name, an IPv4 address, or an IPv6 address without its brackets.
struct UrlHost {
  std::string name;
  std::optional<std::uint16_t> port;

  friend bool operator==(const UrlHost&, const UrlHost&) = default;
};

// A coordinator's URL.
//
//   local:                                no hosts, no path
//   local:/dir?x=y                        no hosts
//   zk://h1:2181,h2,[::1]:2181/chroot     hosts, path
//   lockd+unix:/path                      no hosts
struct Url {
  std::string scheme;  // in lower case
  std::vector<UrlHost> hosts;
  std::string path;  // decoded; empty, or begins with a slash
  std::map<std::string, std::string, std::less<>> parameters;  // decoded

  friend bool operator==(const Url&, const Url&) = default;
};

// The most servers that one URL may name.
inline constexpr std::size_t host_limit = 49;

// Reads a URL. Error: invalid/bad_url, naming what is wrong. User names and passwords are refused,
// and such a text is not repeated in the error.
Result<Url> parse_url(std::string_view text);

// Writes a URL so that parse_url reads the same.
std::string to_string(const Url& url);

// Refuses a parameter that is not among `known`, with a suggestion. Error: invalid/bad_url.
Result<void> check_parameters(const Url& url, std::span<const std::string_view> known);

}  // namespace locker::core
