#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "lockd/http/server.h"

namespace lockd_http_tests {

namespace http = locker::lockd::http;

// A bound for what must happen at all, longer where the leg is slower.
std::chrono::milliseconds patience();

// What happened, in order; one thread tells, another waits for it.
class Events {
 public:
  void add(std::string event);
  // Whether the event has happened or does so in time.
  bool await(const std::string& event);
  bool has(const std::string& event);

 private:
  bool contains(const std::string& event) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> events_;
};

// A real server on a thread of its own, with a handler that does as the path says:
//   /park    waits for its peer's leaving, then answers 503; events `parked`, `left`
//   /stream  two pieces, then waits; events `streaming`, `stream ended`, `stream destroyed`
//   /large   32 MiB
//   /empty   204
// anything else says what it was asked. Closed connections are events `closed N`.
class RunningServer {
 public:
  explicit RunningServer(http::ServerOptions options = {});
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  ~RunningServer();

  int tcp_port() const { return port_; }
  const std::string& unix_path() const { return path_; }
  Events& events() { return events_; }
  std::size_t open_connections();
  // Lets work be done on the server's thread and waits for it.
  void on_thread(const std::function<void(http::Server&)>& work);
  // Starts to drain; event `drained` at its end.
  void drain(std::chrono::milliseconds time);

 private:
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  Events events_;
  std::optional<http::Server> server_;
  std::string folder_;
  std::string path_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace lockd_http_tests
