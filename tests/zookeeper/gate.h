#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace locker::tests {

// A line to the server that can be cut, on a port and a thread of its own.
class Gate {
 public:
  explicit Gate(const std::string& target);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // Cuts every line, and each new one at once. Returns when it is done.
  void cut();
  void open();
  // Lets requests through and keeps the replies, until the line is cut.
  void keep_replies();

 private:
  using Tcp = boost::asio::ip::tcp;
  struct Line {
    explicit Line(boost::asio::io_context& context) : client(context), server(context) {}
    Tcp::socket client;
    Tcp::socket server;
    std::array<char, 65536> requests{};
    std::array<char, 65536> replies{};
  };
  using LinePtr = std::shared_ptr<Line>;

  void accept();
  void pump(const LinePtr& line, bool replies);
  void drop(const LinePtr& line);
  template <typename Work>
  void run(Work work);

  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  Tcp::endpoint target_;
  Tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  bool is_cut_ = false;
  bool keeps_replies_ = false;
  std::set<LinePtr> lines_;
  std::thread thread_;
};

}  // namespace locker::tests
