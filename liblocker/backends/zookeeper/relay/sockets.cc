#include "backends/zookeeper/relay/sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

namespace locker::backends::zookeeper::relay {
namespace {

constexpr int as_we_want_them = SOCK_CLOEXEC | SOCK_NONBLOCK;

void set_option(int socket, int level, int option, int value) {
  // Each makes a connection better and none is needed: a kernel without one still relays.
  static_cast<void>(::setsockopt(socket, level, option, &value, sizeof value));
}

using NameOf = int (*)(int, sockaddr*, socklen_t*);

std::optional<Endpoint> end_of(int socket, NameOf name_of) {
  Endpoint endpoint;
  socklen_t size = static_cast<socklen_t>(endpoint.capacity());
  if (name_of(socket, endpoint.data(), &size) != 0) return std::nullopt;
  const int family = endpoint.data()->sa_family;
  if (family != AF_INET && family != AF_INET6) return std::nullopt;
  endpoint.resize(size);
  return endpoint;
}

Error system_failure(const char* what) {
  return make_error(Errc::unavailable, std::string(what) + " (" + std::strerror(errno) + ")");
}

}  // namespace

Result<Listener> listen_on_loopback() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | as_we_want_them, 0);
  if (socket < 0) return system_failure("the system gives no socket for the ZooKeeper relay");
  Endpoint endpoint(boost::asio::ip::address_v4::loopback(), 0);
  socklen_t size = static_cast<socklen_t>(endpoint.capacity());
  if (::bind(socket, endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0 ||
      ::listen(socket, 128) != 0 || ::getsockname(socket, endpoint.data(), &size) != 0) {
    Error failure = system_failure("the ZooKeeper relay cannot listen on 127.0.0.1");
    close_socket(socket);
    return failure;
  }
  endpoint.resize(size);
  return Listener{socket, endpoint};
}

int accept_connection(int listener) {
  const int socket = ::accept4(listener, nullptr, nullptr, as_we_want_them);
  if (socket >= 0) set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  return socket;
}

Result<int> begin_connecting(const Endpoint& endpoint) {
  const int socket = ::socket(endpoint.data()->sa_family, SOCK_STREAM | as_we_want_them, 0);
  if (socket < 0) return system_failure("gets no socket from the system");
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  if (::connect(socket, endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0 &&
      errno != EINPROGRESS && errno != EINTR) {
    Error failure = system_failure("cannot be reached");
    close_socket(socket);
    return failure;
  }
  return socket;
}

int connect_result(int socket) {
  int number = 0;
  socklen_t size = sizeof number;
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &size) != 0) return errno;
  if (number != 0) return number;
  const std::optional<Endpoint> near = near_end(socket);
  return near.has_value() && near == far_end(socket) ? ECONNREFUSED : 0;
}

std::optional<Endpoint> near_end(int socket) {
  return end_of(socket, ::getsockname);
}

std::optional<Endpoint> far_end(int socket) {
  return end_of(socket, ::getpeername);
}

void end_when_silent(int socket, std::chrono::milliseconds silence) {
  using std::chrono::seconds;
  const int most = static_cast<int>(std::min<std::int64_t>(silence.count(), 3'600'000));
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, most);
  // An idle line is probed twice in that time; the kernel counts these in whole seconds.
  const int probe_seconds = std::max(1, most / 2000);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, probe_seconds);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, probe_seconds);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

void reset_on_close(int socket) {
  const linger at_once{1, 0};
  static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once));
}

void close_socket(int socket) {
  if (socket >= 0) ::close(socket);
}

}  // namespace locker::backends::zookeeper::relay
