#include "lockd/http/access.h"

#include <algorithm>

#include "lockd/http/framing.h"

namespace locker::lockd::http {
namespace {

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char each) { return each >= '0' && each <= '9'; });
}

// 127.x.y.z, each part of one to three digits.
bool is_loopback_address(std::string_view name) {
  int parts = 0;
  while (true) {
    const std::size_t dot = name.find('.');
    const std::string_view part = name.substr(0, dot);
    if (part.empty() || part.size() > 3 || !all_digits(part)) return false;
    if (parts == 0 && part != "127") return false;
    ++parts;
    if (dot == std::string_view::npos) return parts == 4;
    name.remove_prefix(dot + 1);
  }
}

// The name without its port; empty if that is not a port.
std::string_view without_port(std::string_view host) {
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (!has_port) return host;
  return all_digits(host.substr(colon + 1)) ? host.substr(0, colon) : std::string_view();
}

}  // namespace

bool host_allowed(std::string_view host, const std::vector<std::string>& allowed) {
  const std::string_view name = without_port(host);
  if (name.empty()) return false;
  if (same_word(name, "localhost") || name == "[::1]" || is_loopback_address(name)) return true;
  return std::any_of(allowed.begin(), allowed.end(),
                     [name](const std::string& each) { return same_word(each, name); });
}

bool same_origin(std::string_view origin, std::string_view host) {
  const std::size_t mark = origin.find("://");
  if (mark == std::string_view::npos) return false;
  const std::string_view scheme = origin.substr(0, mark);
  if (!same_word(scheme, "http") && !same_word(scheme, "https")) return false;
  return !host.empty() && same_word(origin.substr(mark + 3), host);
}

bool is_json(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  const std::size_t end = type.find_last_not_of(" \t");
  type = type.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return same_word(type, "application/json");
}

bool is_change(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE";
}

}  // namespace locker::lockd::http
