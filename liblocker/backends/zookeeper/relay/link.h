#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <locker/result.h>

#include "backends/zookeeper/relay/tls_context.h"

namespace locker::backends::zookeeper::relay {

// How an attempt to move bytes ended. Nothing blocks: who is told `wants_…` waits for that.
enum class Flow {
  moved,
  wants_read,
  wants_write,
  ended,   // the other side will send no more; all that it sent was read
  failed,  // reset, timed out, closed by ourselves, or broken TLS: nothing moves any more
};

struct Transfer {
  Flow flow = Flow::failed;
  std::size_t bytes = 0;
};

// One TCP connection, with TLS or without, moved by hand: reads and writes are tried at once and
// only what would block is awaited, so that a message costs one wake-up. The relay's thread only.
class Link {
 public:
  // Takes a non-blocking socket, also when it answers null: then the system can watch no more.
  // `name` is what errors call the other side.
  static std::shared_ptr<Link> adopt(const boost::asio::any_io_executor& executor, int socket,
                                     std::string name);

  Link(boost::asio::posix::stream_descriptor socket, std::string name);

  const std::string& name() const { return name_; }
  int number() { return socket_.is_open() ? socket_.native_handle() : -1; }
  bool is_open() const { return socket_.is_open(); }

  // Everything from here on goes through TLS; shake hands first.
  void start_tls(SslPtr ssl);
  // `moved` once both sides have agreed; to be called again after each wait.
  Flow shake_hands();

  Transfer read_some(std::span<char> room);
  Transfer write_some(std::span<const char> data);
  // Tells the other side that nothing follows; reading goes on. `moved` once it is told.
  Flow end_writing();

  // Whether bytes may have come that are no longer with the kernel: read before waiting.
  bool reads_ahead() const { return ssl_ != nullptr; }

  // Ends whoever waits; the other side sees an ordinary end.
  void close();
  // The same, but the other side sees a reset and what it has not yet got is dropped.
  void reset();
  // The same, because time is over.
  void expire();
  bool expired() const { return expired_; }
  // Ends whoever waits, and nothing else.
  void wake();

  // Why a `failed` was answered, where the reason is known.
  const std::optional<Error>& failure() const { return failure_; }

  boost::asio::posix::stream_descriptor& socket() { return socket_; }

 private:
  Transfer failed_with(int number);
  Transfer tls_result(int result);

  boost::asio::posix::stream_descriptor socket_;
  std::string name_;
  SslPtr ssl_;
  bool heard_ = false;
  bool expired_ = false;
  std::optional<Error> failure_;
};
using LinkPtr = std::shared_ptr<Link>;

// Returns once the link may read (or write, for `wants_write`), or was closed or woken.
boost::asio::awaitable<void> until_ready(LinkPtr link, Flow wants);
// Writes all of it. `moved` or `failed`.
boost::asio::awaitable<Flow> write_all(LinkPtr link, std::string data);
// Ends writing, whatever it waits for. `moved` or `failed`.
boost::asio::awaitable<Flow> finish_writing(LinkPtr link);

// Expires a link after a time, unless it is dropped before.
class LinkTimer {
 public:
  LinkTimer(const LinkPtr& link, std::chrono::milliseconds wait);

 private:
  boost::asio::steady_timer timer_;
  // What the timer holds on to: a timer that is dropped may have rung already.
  std::shared_ptr<std::weak_ptr<Link>> link_;
};

}  // namespace locker::backends::zookeeper::relay
