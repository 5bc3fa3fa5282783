#include "lockd/http/hub.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <random>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lockd/http/connection.h"

namespace locker::lockd::http {
namespace {

std::string hex(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return {digits.data(), written.ptr};
}

// An eighth of the shortest limit is as exact as a limit need be.
Hub::Clock::duration tick_time_of(const ServerOptions& options) {
  using std::chrono::milliseconds;
  const milliseconds shortest = std::min({options.header_time, options.body_time, options.idle_time,
                                          options.write_time, options.linger_time});
  return std::clamp(shortest / 8, milliseconds(5), milliseconds(250));
}

}  // namespace

Hub::Hub(boost::asio::any_io_executor executor, ServerOptions options, Handler answer)
    : handler(std::move(answer)),
      executor_(std::move(executor)),
      options_(std::move(options)),
      tick_(executor_),
      empty_(executor_),
      tick_time_(tick_time_of(options_)),
      // Ids of two runs of the daemon differ, for they meet in one log.
      request_prefix_(hex(std::random_device()()) + "-") {}

std::optional<Refusal> Hub::refuses(const Peer& peer) const {
  if (connections_.size() >= options_.connections) {
    return Refusal{503, Errc::unavailable, "too_many_connections",
                   "There are too many connections; try again later."};
  }
  if (peer.unix_socket) return std::nullopt;
  const auto found = by_address_.find(peer.address);
  if (found == by_address_.end() || found->second < options_.connections_per_address) {
    return std::nullopt;
  }
  return Refusal{429, Errc::rate_limited, "too_many_connections",
                 "There are too many connections from this address; close some."};
}

void Hub::enter(Connection& connection, const Peer& peer) {
  connections_.insert(&connection);
  if (!peer.unix_socket) ++by_address_[peer.address];
}

void Hub::leave(Connection& connection, const Peer& peer) {
  connections_.erase(&connection);
  const auto found = peer.unix_socket ? by_address_.end() : by_address_.find(peer.address);
  if (found != by_address_.end() && --found->second == 0) by_address_.erase(found);
  if (connections_.empty()) empty_.cancel();
}

std::string Hub::next_request_id() {
  return request_prefix_ + hex(++last_request_);
}

void Hub::keep_time() {
  if (ticking_) return;
  ticking_ = true;
  tick_.expires_after(tick_time_);
  tick_.async_wait([hub = weak_from_this()](const boost::system::error_code& error) {
    const auto self = hub.lock();
    if (error || self == nullptr) return;
    self->ticking_ = false;
    self->look_at_deadlines();
  });
}

void Hub::look_at_deadlines() {
  const auto now = Clock::now();
  bool more = false;
  for (const auto& connection : all()) more |= connection->look_at_deadline(now);
  if (more) keep_time();
}

// A list of its own: what these do may end other connections at once.
std::vector<std::shared_ptr<Connection>> Hub::all() const {
  std::vector<std::shared_ptr<Connection>> found;
  found.reserve(connections_.size());
  for (Connection* connection : connections_) {
    if (auto shared = connection->weak_from_this().lock()) found.push_back(std::move(shared));
  }
  return found;
}

void Hub::drain() {
  draining_ = true;
  for (const auto& connection : all()) connection->drain();
}

void Hub::close_all() {
  for (const auto& connection : all()) connection->cut_off();
}

awaitable<void> Hub::wait_until_empty(Clock::time_point deadline) {
  if (connections_.empty()) co_return;
  boost::system::error_code ignored;
  auto token = boost::asio::redirect_error(boost::asio::use_awaitable, ignored);
  empty_.expires_at(deadline);
  co_await empty_.async_wait(token);
}

}  // namespace locker::lockd::http
