#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "lockd/http/answer_text.h"
#include "lockd/http/exchange.h"
#include "lockd/http/server.h"

namespace locker::lockd::http {

class Connection;

// What all connections of a server share: its settings, who is there, and one coarse clock for all
// their deadlines. Belongs to the server's thread.
class Hub : public std::enable_shared_from_this<Hub> {
 public:
  using Clock = std::chrono::steady_clock;

  Hub(boost::asio::any_io_executor executor, ServerOptions options, Handler handler);

  const boost::asio::any_io_executor& executor() const { return executor_; }
  const ServerOptions& options() const { return options_; }
  bool draining() const { return draining_; }
  std::size_t size() const { return connections_.size(); }

  // Whether one more connection of this peer is too many.
  std::optional<Refusal> refuses(const Peer& peer) const;
  void enter(Connection& connection, const Peer& peer);
  void leave(Connection& connection, const Peer& peer);

  std::uint64_t next_connection() { return ++last_connection_; }
  std::string next_request_id();

  // Makes sure that deadlines are looked at. While no connection has one, nothing wakes up.
  void keep_time();

  // No more requests from now on.
  void drain();
  // Cuts all connections off.
  void close_all();
  // Completes when the last connection has gone, or at the deadline.
  awaitable<void> wait_until_empty(Clock::time_point deadline);

  Handler handler;
  std::function<void(std::uint64_t)> on_closed;

 private:
  void look_at_deadlines();
  std::vector<std::shared_ptr<Connection>> all() const;

  boost::asio::any_io_executor executor_;
  ServerOptions options_;
  boost::asio::steady_timer tick_;
  boost::asio::steady_timer empty_;
  Clock::duration tick_time_;
  bool ticking_ = false;
  bool draining_ = false;
  std::unordered_set<Connection*> connections_;
  std::map<std::string, std::size_t> by_address_;
  std::uint64_t last_connection_ = 0;
  std::uint64_t last_request_ = 0;
  std::string request_prefix_;
};

}  // namespace locker::lockd::http
