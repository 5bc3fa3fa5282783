#include "tests/zookeeper/relay/fake_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace locker::tests {
namespace {

struct Bound {
  int socket = -1;
  std::uint16_t port = 0;
};

// A test without its sockets shows nothing.
Bound bind_free_port() {
  Bound bound{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), 0};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  void* place = &address;
  socklen_t size = sizeof address;
  if (::bind(bound.socket, static_cast<sockaddr*>(place), size) != 0 ||
      ::getsockname(bound.socket, static_cast<sockaddr*>(place), &size) != 0) {
    std::abort();
  }
  bound.port = ntohs(address.sin_port);
  return bound;
}

}  // namespace

FakeServer::FakeServer(Script script) : script_(std::move(script)) {
  const Bound bound = bind_free_port();
  listener_ = bound.socket;
  port_ = bound.port;
  if (::listen(listener_, 64) != 0) std::abort();
  acceptor_ = std::thread([this] { accept(); });
}

FakeServer::~FakeServer() {
  std::vector<std::thread> threads;
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
    // Wakes whoever waits on them; they are closed by their threads.
    for (const int each : open_) ::shutdown(each, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  threads.swap(threads_);
  for (std::thread& each : threads) each.join();
  ::close(listener_);
}

void FakeServer::accept() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    Line line(socket);
    const std::scoped_lock lock(mutex_);
    if (ending_) return;
    ++connections_;
    open_.push_back(socket);
    threads_.emplace_back([this, moved = std::move(line)]() mutable { run(std::move(moved)); });
  }
}

void FakeServer::run(Line line) {
  const int number = line.number();
  script_(line);
  const std::scoped_lock lock(mutex_);
  open_.remove(number);
  line.close();
}

FakeServer::Script answering(std::string text) {
  return [text = packet(text)](Line& line) {
    while (!receive_packet(line).empty()) {
      if (!line.send(text)) return;
    }
  };
}

void silent(Line& line) {
  line.end();
}

FakeServer::Script forwarding(std::uint16_t port) {
  const auto copy = [](const Line& from, const Line& to) {
    for (std::string part; !(part = from.receive_some()).empty();) {
      if (!to.send(part)) break;
    }
    to.end_sending();
  };
  return [port, copy](Line& line) {
    const Line target = Line::connect(port);
    std::thread back([&] { copy(target, line); });
    copy(line, target);
    back.join();
  };
}

StoppedServer::StoppedServer() {
  const Bound bound = bind_free_port();
  listener_ = bound.socket;
  port_ = bound.port;
  if (::listen(listener_, 64) != 0) std::abort();
}

StoppedServer::~StoppedServer() {
  ::close(listener_);
}

BlackHole::BlackHole() {
  // The shortest queue there is holds one connection; the second fills it for good.
  if (::listen(listener_, 0) != 0) std::abort();
  for (int count = 0; count < 2; ++count) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const void* target = &address;
    const int done = ::connect(socket, static_cast<const sockaddr*>(target), sizeof address);
    if (done != 0 && errno != EINPROGRESS) std::abort();
    filling_.emplace_back(socket);
    // The first is in the queue before the second comes.
    pollfd waiting{socket, POLLOUT, 0};
    if (count == 0) ::poll(&waiting, 1, 5000);
  }
}

core::UrlHost refusing_host() {
  const Bound bound = bind_free_port();
  ::close(bound.socket);
  return {"127.0.0.1", bound.port};
}

}  // namespace locker::tests
