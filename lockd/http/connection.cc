#include "lockd/http/connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include <boost/asio/defer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace locker::lockd::http {
namespace {

namespace asio = boost::asio;

constexpr std::size_t first_room_bytes = 4 * 1024;
constexpr std::size_t most_room_bytes = 32 * 1024;

}  // namespace

asio::mutable_buffer Input::room() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == bytes_.size() && bytes_.size() < most_room_bytes) {
    bytes_.resize(std::max(first_room_bytes, 2 * bytes_.size()));
  }
  return {bytes_.data() + end_, bytes_.size() - end_};
}

Connection::Connection(std::shared_ptr<Hub> hub, Socket socket, Peer peer)
    : hub_(std::move(hub)),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      number_(hub_->next_connection()),
      wake_(hub_->executor()) {
  hub_->enter(*this, peer_);
}

Connection::~Connection() {
  hub_->leave(*this, peer_);
}

awaitable<void> Connection::serve(std::shared_ptr<Connection> self) {
  bool more = true;
  while (more) more = co_await self->exchange();
  if (self->refusal_ && !self->gone_) co_await self->refuse();
  if (!self->gone_) co_await self->linger();
  self->gone();
}

void Connection::set_phase(Phase phase, std::chrono::milliseconds time) {
  phase_ = phase;
  deadline_ = Hub::Clock::now() + time;
  hub_->keep_time();
}

bool Connection::look_at_deadline(Hub::Clock::time_point now) {
  if (gone_) return false;
  if (crowded_) {
    // More requests wait than there is room for, and behind them nobody sees the end but the
    // kernel.
    pollfd state{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
    if (::poll(&state, 1, 0) > 0) gone();
    return !gone_;
  }
  if (now < deadline_) return deadline_ != Hub::Clock::time_point::max();
  expired_ = true;
  deadline_ = Hub::Clock::time_point::max();
  if (phase_ == Phase::writing || phase_ == Phase::lingering) {
    gone();
  } else {
    boost::system::error_code ignored;
    socket_.cancel(ignored);
  }
  return false;
}

void Connection::drain() {
  // In whatever phase: a stream may be between two pieces.
  left_.request_stop();
  if (phase_ != Phase::idle || !input_.unread().empty() || gone_) return;
  expired_ = true;
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

void Connection::cut_off() {
  gone();
}

void Connection::gone() {
  if (gone_) return;
  gone_ = true;
  crowded_ = false;
  deadline_ = Hub::Clock::time_point::max();
  boost::system::error_code ignored;
  socket_.close(ignored);
  left_.request_stop();
  if (hub_->on_closed) hub_->on_closed(number_);
}

void Connection::took(const boost::system::error_code& error, std::size_t count) {
  input_.added(count);
  // Whoever cancelled a read has left a note why.
  if (error && error != asio::error::operation_aborted) gone();
}

void Connection::watch() {
  if (watching_ || gone_ || phase_ != Phase::handling) return;
  const asio::mutable_buffer room = input_.room();
  if (room.size() == 0) {
    crowded_ = true;
    hub_->keep_time();
    return;
  }
  watching_ = true;
  socket_.async_read_some(
      room, [self = shared_from_this()](const boost::system::error_code& error, std::size_t count) {
        self->watching_ = false;
        self->took(error, count);
        self->watch();
        self->wake_.cancel();
      });
}

awaitable<bool> Connection::read_more() {
  if (!holds()) co_return false;
  boost::system::error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  if (watching_) {
    // The read that stood beside the last handler is still under way: it is the next one.
    wake_.expires_at(Hub::Clock::time_point::max());
    co_await wake_.async_wait(token);
  } else {
    const asio::mutable_buffer room = input_.room();
    const std::size_t count = co_await socket_.async_read_some(room, token);
    took(error, count);
  }
  co_return holds();
}

awaitable<bool> Connection::exchange() {
  if (hub_->draining() && input_.unread().empty()) co_return false;
  refusal_.reset();
  keep_alive_ = version_1_1_ = true;
  head_only_ = false;
  request_ = std::make_shared<Request>();
  request_->id = hub_->next_request_id();
  const bool is_whole = co_await read_request();
  if (!is_whole) co_return false;
  co_return co_await answer();
}

awaitable<bool> Connection::answer() {
  phase_ = Phase::handling;
  deadline_ = Hub::Clock::time_point::max();
  request_->left = left_.get_token();
  if (hub_->draining()) left_.request_stop();
  // Most handlers answer at once; only beside one that waits a read is worth its system call.
  asio::defer(hub_->executor(), [self = shared_from_this()] { self->watch(); });
  const RequestPtr request = request_;
  response_ = co_await hub_->handler(request);
  crowded_ = false;
  if (gone_) co_return false;
  if (hub_->draining()) keep_alive_ = false;
  co_return co_await send();
}

awaitable<bool> Connection::send() {
  const bool is_stream = response_.stream != nullptr;
  // Without chunks the end of a stream is the end of the connection.
  if (is_stream && !version_1_1_) keep_alive_ = false;
  const AnswerFacts facts{
      .request_id = request_->id,
      .keep_alive = keep_alive_,
      .version_1_1 = version_1_1_,
      .length = is_stream ? std::nullopt : std::optional(response_.body.size())};
  output_.clear();
  append_head(response_, facts, output_);
  if (is_stream || head_only_ || !may_have_body(response_.status)) response_.body.clear();
  bool is_sent = co_await write();
  if (is_stream && is_sent && !head_only_) is_sent = co_await send_stream();
  // The stream ends after `left` was requested.
  response_.stream.reset();
  co_return is_sent&& keep_alive_;
}

awaitable<bool> Connection::send_stream() {
  bool is_sent = true;
  bool is_last = false;
  while (is_sent && !is_last) {
    phase_ = Phase::handling;
    deadline_ = Hub::Clock::time_point::max();
    watch();
    std::optional<std::string> piece = co_await response_.stream->next();
    crowded_ = false;
    if (gone_) co_return false;
    is_last = !piece;
    // An empty chunk would be the last one.
    if (piece && piece->empty()) continue;
    output_.clear();
    response_.body = std::move(piece).value_or(std::string());
    if (version_1_1_) {
      std::array<char, 20> size{};
      const int digits = std::snprintf(size.data(), size.size(), "%zx\r\n", response_.body.size());
      output_.append(size.data(), static_cast<std::size_t>(digits));
      response_.body += "\r\n";
    }
    is_sent = co_await write();
  }
  co_return is_sent;
}

// Writes output_ and the response's body.
awaitable<bool> Connection::write() {
  set_phase(Phase::writing, hub_->options().write_time);
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(output_),
                                                     asio::buffer(response_.body)};
  boost::system::error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  co_await asio::async_write(socket_, buffers, token);
  if (error) gone();
  co_return !gone_;
}

awaitable<void> Connection::refuse() {
  response_ = problem_of(*refusal_, request_->id);
  keep_alive_ = false;
  co_await send();
}

// Closing a socket with unread bytes resets it, and the reset may overtake the answer. So the peer
// may go on sending for a moment, into the void.
awaitable<void> Connection::linger() {
  constexpr std::size_t most_bytes = 8 * 1024 * 1024;
  boost::system::error_code error;
  socket_.shutdown(Socket::shutdown_send, error);
  set_phase(Phase::lingering, hub_->options().linger_time);
  expired_ = false;
  std::size_t dropped = 0;
  bool more = !error;
  while (more && dropped < most_bytes) {
    dropped += input_.unread().size();
    input_.consume(input_.unread().size());
    more = co_await read_more();
  }
}

}  // namespace locker::lockd::http
