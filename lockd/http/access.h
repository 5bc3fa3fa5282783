#pragma once

#include <string>
#include <string_view>
#include <vector>

// What keeps web pages of others away from a daemon on loopback.
namespace locker::lockd::http {

// Whether a Host header names this daemon: a loopback name or address or one of `allowed`, with
// any port. Another name that resolves to us is how a foreign page reaches a local server.
bool host_allowed(std::string_view host, const std::vector<std::string>& allowed);

// Whether an Origin header is of the same host and port as the Host header; "null" never is.
bool same_origin(std::string_view origin, std::string_view host);

// Whether a Content-Type is application/json, with or without parameters.
bool is_json(std::string_view content_type);

// Whether a method changes something: POST, PUT, PATCH, DELETE.
bool is_change(std::string_view method);

}  // namespace locker::lockd::http
