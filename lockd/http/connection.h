#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "lockd/http/answer_text.h"
#include "lockd/http/exchange.h"
#include "lockd/http/framing.h"
#include "lockd/http/hub.h"

namespace locker::lockd::http {

using Socket = boost::asio::generic::stream_protocol::socket;

// Bytes that have come and were not read yet.
class Input {
 public:
  std::string_view unread() const { return {bytes_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t count) { begin_ += count; }
  void added(std::size_t count) { end_ += count; }
  // Where the next bytes may be put; moves what is unread to the front. Empty when full.
  boost::asio::mutable_buffer room();

 private:
  std::vector<char> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// One connection: reads requests, has them answered one after the other. One coroutine, and while
// a handler runs a read beside it, that sees the peer leave.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Hub> hub, Socket socket, Peer peer);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // The connection's whole life.
  static awaitable<void> serve(std::shared_ptr<Connection> self);

  // Ends what takes too long; returns whether there is anything to look at later.
  bool look_at_deadline(Hub::Clock::time_point now);
  // Ends it if it is idle, asks its handler to come to an end else.
  void drain();
  void cut_off();

 private:
  enum class Phase { idle, head, body, handling, writing, lingering };

  // Each of these returns whether to go on with this connection.
  awaitable<bool> exchange();
  awaitable<bool> read_request();
  awaitable<bool> read_body(BodyKind kind, std::uint64_t length);
  awaitable<bool> read_length(std::uint64_t length);
  awaitable<bool> read_chunks();
  awaitable<bool> read_more();
  awaitable<bool> answer();
  awaitable<bool> send();
  awaitable<bool> send_stream();
  awaitable<bool> write();
  awaitable<void> refuse();
  awaitable<void> linger();

  std::size_t find_head();
  void take_over(const Head& head);
  bool check_access(const Head& head);
  void refuse_with(int status, Errc errc, std::string code, std::string detail);
  void watch();
  void took(const boost::system::error_code& error, std::size_t count);
  void gone();
  void set_phase(Phase phase, std::chrono::milliseconds time);
  bool holds() const { return !gone_ && !expired_; }

  std::shared_ptr<Hub> hub_;
  Socket socket_;
  Peer peer_;
  const std::uint64_t number_;
  boost::asio::steady_timer wake_;  // never expires; the watch's read cancels it
  Input input_;
  std::string output_;

  Phase phase_ = Phase::idle;
  Hub::Clock::time_point deadline_ = Hub::Clock::time_point::max();
  bool gone_ = false;      // the peer has left, or was cut off
  bool expired_ = false;   // a deadline passed, or the server drains
  bool watching_ = false;  // a read beside the handler is under way
  bool crowded_ = false;   // no room for one: only the tick looks after the peer
  std::stop_source left_;

  // Of the request at hand.
  std::shared_ptr<Request> request_;
  bool keep_alive_ = true;
  bool version_1_1_ = true;
  bool head_only_ = false;
  std::optional<Refusal> refusal_;
  Response response_;
};

}  // namespace locker::lockd::http
