#include "core/url.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <arpa/inet.h>

#include "core/path_codec.h"
#include "core/suggest.h"
#include "core/utf8.h"
#include "core/visible_text.h"

namespace locker::core {
namespace {

Error bad_url(std::string sentence) {
  return make_error(Errc::invalid, "bad_url", std::move(sentence));
}

std::string quoted(std::string_view text) {
  return "'" + visible_text(text) + "'";
}

bool is_lower(char letter) {
  return letter >= 'a' && letter <= 'z';
}
bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

bool is_scheme(std::string_view text) {
  return !text.empty() && is_lower(text.front()) && std::ranges::all_of(text, [](char letter) {
    return is_lower(letter) || is_digit(letter) || letter == '+' || letter == '-' || letter == '.';
  });
}

bool is_host_name(std::string_view text) {
  constexpr std::size_t longest = 253;
  return !text.empty() && text.size() <= longest && std::ranges::all_of(text, [](char letter) {
    return is_lower(letter) || is_digit(letter) || (letter >= 'A' && letter <= 'Z') ||
           letter == '-' || letter == '.' || letter == '_';
  });
}

bool is_ipv6(std::string_view text) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) == 1;
}

// Decodes one part; control characters and what is not UTF-8 have no place in any of them.
Result<std::string> decode(std::string_view what, std::string_view text) {
  Unescaped decoded = unescape(text);
  if (decoded.bad != std::string_view::npos) {
    return bad_url("The " + std::string(what) + " " + quoted(text) +
                   " has a % without two hex digits behind it; write %25 for the character.");
  }
  const bool control = std::ranges::any_of(decoded.text, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7F;
  });
  if (control || find_bad_utf8(decoded.text) != std::string_view::npos) {
    return bad_url("The " + std::string(what) + " " + quoted(text) +
                   " has a control character, or is not UTF-8.");
  }
  return std::move(decoded.text);
}

Result<std::uint16_t> parse_port(std::string_view host, std::string_view text) {
  unsigned port = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stopped != end || port == 0 || port > 65535) {
    return bad_url("The port " + quoted(text) + " of the host " + quoted(host) +
                   " is not a number from 1 to 65535.");
  }
  return static_cast<std::uint16_t>(port);
}

Result<UrlHost> parse_host(std::string_view text) {
  if (text.empty()) return bad_url("There is an empty host in the list of hosts; remove a comma.");
  UrlHost host;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    const std::string_view address = text.substr(1, std::min(close, text.size()) - 1);
    if (close == std::string_view::npos || !is_ipv6(address)) {
      return bad_url("The host " + quoted(text) + " is no IPv6 address in brackets.");
    }
    host.name = address;
    rest = text.substr(close + 1);
  } else {
    const std::size_t colon = text.find(':');
    host.name = text.substr(0, colon);
    rest = text.substr(std::min(colon, text.size()));
    if (text.find(':', colon + 1) != std::string_view::npos && colon != std::string_view::npos) {
      return bad_url("The host " + quoted(text) +
                     " has more than one colon; put an IPv6 address into brackets, [::1]:2181.");
    }
    if (host.name.empty()) return bad_url("The port " + quoted(text) + " stands without a host.");
    if (!is_host_name(host.name)) {
      return bad_url("The host " + quoted(host.name) + " is no host's name or address.");
    }
  }
  if (rest.empty()) return host;
  if (!rest.starts_with(':')) {
    return bad_url("The host " + quoted(text) + " has something other than a port at its end.");
  }
  const Result<std::uint16_t> port = parse_port(host.name, rest.substr(1));
  if (!port) return port.error();
  host.port = *port;
  return host;
}

Result<std::vector<UrlHost>> parse_hosts(std::string_view text) {
  if (text.find('@') != std::string_view::npos) {
    return bad_url(
        "A user name or password in a URL is not supported, since URLs are shown to everyone; use "
        "the settings for credentials.");
  }
  if (text.empty())
    return bad_url("There is no host behind the //; write scheme://host:port/path.");
  std::vector<UrlHost> hosts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    Result<UrlHost> host = parse_host(text.substr(begin, end - begin));
    if (!host) return host.error();
    if (hosts.size() == host_limit) {
      return bad_url("There are more than " + std::to_string(host_limit) +
                     " hosts in the list; name those that vote.");
    }
    hosts.push_back(*std::move(host));
    begin = end + 1;
  }
  return hosts;
}

Result<void> parse_parameters(std::string_view text, Url& url) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('&', begin), text.size());
    const std::string_view pair = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return bad_url("The parameter " + quoted(pair) + " is not of the form name=value.");
    }
    Result<std::string> name = decode("parameter", pair.substr(0, equals));
    if (!name) return name.error();
    Result<std::string> value = decode("parameter's value", pair.substr(equals + 1));
    if (!value) return value.error();
    if (!url.parameters.try_emplace(*name, *value).second) {
      return bad_url("The parameter " + quoted(*name) + " is given twice.");
    }
  }
  return {};
}

// What parse_url splits at, the percent sign, and what decode refuses stay escaped.
void append_encoded(std::string& out, std::string_view text, bool in_path) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const std::string_view specials = in_path ? "%?#" : "%?#&=";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte > 0x20 && byte != 0x7F && specials.find(letter) == std::string_view::npos) {
      out.push_back(letter);
      continue;
    }
    out.push_back('%');
    out.push_back(digits[byte >> 4U]);
    out.push_back(digits[byte & 0xFU]);
  }
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  const std::size_t colon = text.find(':');
  Url url;
  url.scheme = lower_ascii(text.substr(0, std::min(colon, text.size())));
  if (colon == std::string_view::npos || !is_scheme(url.scheme)) {
    return bad_url("The URL " + quoted(text.substr(0, text.find('@'))) +
                   " does not begin with a scheme; write e.g. local:/dir.");
  }
  std::string_view rest = text.substr(colon + 1);
  if (rest.find('#') != std::string_view::npos) {
    return bad_url("A # has no meaning in a coordinator's URL; write %23 for the character.");
  }
  const std::size_t question = rest.find('?');
  if (question != std::string_view::npos) {
    const Result<void> parameters = parse_parameters(rest.substr(question + 1), url);
    if (!parameters) return parameters.error();
    rest = rest.substr(0, question);
  }
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    Result<std::vector<UrlHost>> hosts = parse_hosts(rest.substr(0, slash));
    if (!hosts) return hosts.error();
    url.hosts = *std::move(hosts);
    rest = rest.substr(slash);
  }
  if (!rest.empty() && !rest.starts_with('/')) {
    // The rest is not repeated: where the scheme was forgotten, it may be a password.
    return bad_url("What follows the scheme '" + url.scheme +
                   "' does not begin with a slash; write " +
                   "a path as in local:/dir, or hosts as in scheme://host:port/path.");
  }
  Result<std::string> path = decode("path", rest);
  if (!path) return path.error();
  url.path = *std::move(path);
  return url;
}

std::string to_string(const Url& url) {
  std::string out = url.scheme + ":";
  bool first = true;
  for (const UrlHost& host : url.hosts) {
    out += first ? "//" : ",";
    first = false;
    const bool brackets = host.name.find(':') != std::string::npos;
    out += brackets ? "[" + host.name + "]" : host.name;
    if (host.port) out += ":" + std::to_string(*host.port);
  }
  // A path of two slashes would be taken for hosts.
  if (url.hosts.empty() && url.path.starts_with("//")) {
    out += "/%2F";
    append_encoded(out, std::string_view(url.path).substr(2), true);
  } else {
    append_encoded(out, url.path, true);
  }
  char mark = '?';
  for (const auto& [name, value] : url.parameters) {
    out.push_back(mark);
    mark = '&';
    append_encoded(out, name, false);
    out.push_back('=');
    append_encoded(out, value, false);
  }
  return out;
}

Result<void> check_parameters(const Url& url, std::span<const std::string_view> known) {
  for (const auto& [name, value] : url.parameters) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string sentence = "The URL of " + url.scheme + " has no parameter " + quoted(name);
    const std::optional<std::string> nearest = nearest_word(name, known);
    if (nearest) sentence += "; did you mean '" + *nearest + "'?";
    if (!nearest && known.empty()) sentence += "; it takes none.";
    if (!nearest && !known.empty()) {
      sentence += "; there are";
      for (const std::string_view word : known) sentence += " " + std::string(word);
      sentence += ".";
    }
    return bad_url(std::move(sentence));
  }
  return {};
}

}  // namespace locker::core
