#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>

#include "lockd/http/access.h"
#include "lockd/http/chunked_body.h"
#include "lockd/http/connection.h"

namespace locker::lockd::http {
namespace {

constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

void append_query(std::string_view query, Fields& fields) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    const std::size_t mark = pair.find('=');
    if (!pair.empty()) {
      const std::string_view value =
          mark == std::string_view::npos ? std::string_view() : pair.substr(mark + 1);
      fields.emplace_back(percent_decoded(pair.substr(0, mark), true),
                          percent_decoded(value, true));
    }
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
  }
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& character : lower) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character + 'a' - 'A');
  }
  return lower;
}

}  // namespace

void Connection::refuse_with(int status, Errc errc, std::string code, std::string detail) {
  refusal_ = Refusal{status, errc, std::move(code), std::move(detail)};
}

// Reads a request whole into request_. A client that stops in the middle of one is told so, one
// that stops before it is not.
awaitable<bool> Connection::read_request() {
  set_phase(Phase::idle, hub_->options().idle_time);
  std::size_t seen = 0;
  HeadEnd head_end;
  while (true) {
    const std::string_view bytes = input_.unread();
    head_end = find_head_end(bytes, seen);
    if (head_end.broken || head_end.end != 0) break;
    if (bytes.size() >= hub_->options().header_limit_bytes) break;
    seen = bytes.size();
    if (seen > 0 && phase_ == Phase::idle) set_phase(Phase::head, hub_->options().header_time);
    const bool has_come = co_await read_more();
    if (has_come) continue;
    if (seen > 0 && expired_) {
      refuse_with(408, Errc::timeout, "slow_request", "The head of the request came too slowly.");
    }
    co_return false;
  }
  if (head_end.end > hub_->options().header_limit_bytes ||
      (head_end.end == 0 && !head_end.broken)) {
    refuse_with(431, Errc::too_large, "head_too_large", "The head of the request is too large.");
    co_return false;
  }
  const std::size_t size = head_end.broken ? input_.unread().size() : head_end.end;
  const Result<Head> head = read_head(input_.unread().substr(0, size));
  if (!head) {
    refuse_with(400, head.error().errc, head.error().code, head.error().message);
    co_return false;
  }
  take_over(*head);
  const bool may_come_in = check_access(*head);
  if (!may_come_in) co_return false;
  const BodyKind kind = head->body;
  const std::uint64_t length = head->length;
  const bool expects_continue = head->expects_continue;
  input_.consume(size);
  if (kind == BodyKind::none) co_return true;
  if (length > hub_->options().body_limit_bytes) {
    refuse_with(413, Errc::too_large, "body_too_large", "The body of the request is too large.");
    co_return false;
  }
  if (expects_continue && input_.unread().empty()) {
    output_ = go_on;
    response_.body.clear();
    const bool is_sent = co_await write();
    if (!is_sent) co_return false;
  }
  co_return co_await read_body(kind, length);
}

void Connection::take_over(const Head& head) {
  keep_alive_ = head.keep_alive;
  version_1_1_ = head.version_1_1;
  head_only_ = head.method == "HEAD";
  Request& request = *request_;
  request.method = head_only_ ? "GET" : head.method;
  request.path = head.path;
  append_query(head.query, request.query);
  request.headers.reserve(head.fields.size());
  for (const auto& [name, value] : head.fields) {
    request.headers.emplace_back(lower_case(name), value);
  }
  request.peer = peer_;
  request.connection = number_;
}

bool Connection::check_access(const Head& head) {
  const std::string_view host = head.only("host");
  if (!peer_.unix_socket && !host_allowed(host, hub_->options().allowed_hosts)) {
    refuse_with(421, Errc::invalid, "wrong_host",
                "The Host header names another server; the daemon's settings list its names.");
    return false;
  }
  if (head.has("origin") && !same_origin(head.only("origin"), host)) {
    refuse_with(403, Errc::unauthorized, "foreign_origin",
                "Pages of other origins may not use this daemon.");
    return false;
  }
  const bool has_content = head.body != BodyKind::none || head.has("content-type");
  if (is_change(head.method) && has_content && !is_json(head.only("content-type"))) {
    refuse_with(415, Errc::invalid, "not_json", "The body of a change must be application/json.");
    return false;
  }
  return true;
}

awaitable<bool> Connection::read_body(BodyKind kind, std::uint64_t length) {
  set_phase(Phase::body, hub_->options().body_time);
  bool is_whole = false;
  if (kind == BodyKind::chunked) {
    is_whole = co_await read_chunks();
  } else {
    is_whole = co_await read_length(length);
  }
  if (!is_whole && expired_ && !refusal_) {
    refuse_with(408, Errc::timeout, "slow_request", "The body of the request came too slowly.");
  }
  co_return is_whole;
}

awaitable<bool> Connection::read_length(std::uint64_t length) {
  std::string& body = request_->body;
  while (true) {
    // No more is set aside than has come: a thousand slow bodies must not take a gigabyte.
    const std::string_view part = input_.unread().substr(0, length - body.size());
    body += part;
    input_.consume(part.size());
    if (body.size() == length) co_return true;
    const bool has_come = co_await read_more();
    if (!has_come) co_return false;
  }
}

awaitable<bool> Connection::read_chunks() {
  ChunkedBody chunks(hub_->options().body_limit_bytes);
  while (true) {
    std::size_t taken = 0;
    const ChunkedBody::State state = chunks.read(input_.unread(), taken);
    input_.consume(taken);
    switch (state) {
      case ChunkedBody::State::done:
        request_->body = chunks.take();
        co_return true;
      case ChunkedBody::State::broken:
        refuse_with(400, Errc::invalid, "bad_request", "The body's chunks are not well-formed.");
        co_return false;
      case ChunkedBody::State::too_large:
        refuse_with(413, Errc::too_large, "body_too_large",
                    "The body of the request is too large.");
        co_return false;
      case ChunkedBody::State::more:
        break;
    }
    const bool has_come = co_await read_more();
    if (!has_come) co_return false;
  }
}

}  // namespace locker::lockd::http
