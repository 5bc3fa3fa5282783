#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace locker::tests {

// Opens a session as a ZooKeeper server does, and then refuses the identity: Debian's server itself
// takes every password.
class RefusingServer {
 public:
  RefusingServer();
  RefusingServer(const RefusingServer&) = delete;
  RefusingServer& operator=(const RefusingServer&) = delete;
  ~RefusingServer();

  std::string address() const;

 private:
  void serve();

  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::ip::tcp::socket line_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace locker::tests
