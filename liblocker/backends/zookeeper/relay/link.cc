#include "backends/zookeeper/relay/link.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

#include <openssl/err.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "backends/zookeeper/relay/sockets.h"
#include "backends/zookeeper/relay/tls_failure.h"

namespace locker::backends::zookeeper::relay {

using boost::asio::awaitable;

LinkPtr Link::adopt(const boost::asio::any_io_executor& executor, int socket, std::string name) {
  boost::asio::posix::stream_descriptor descriptor(executor);
  boost::system::error_code refused;
  descriptor.assign(socket, refused);
  if (refused) {
    close_socket(socket);
    return nullptr;
  }
  return std::make_shared<Link>(std::move(descriptor), std::move(name));
}

Link::Link(boost::asio::posix::stream_descriptor socket, std::string name)
    : socket_(std::move(socket)), name_(std::move(name)) {}

void Link::start_tls(SslPtr ssl) {
  ssl_ = std::move(ssl);
}

Flow Link::shake_hands() {
  if (!is_open()) return Flow::failed;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1) return Flow::moved;
  return tls_result(result).flow;
}

Transfer Link::read_some(std::span<char> room) {
  if (!is_open()) return {};
  if (ssl_ != nullptr) {
    ERR_clear_error();
    std::size_t bytes = 0;
    const int result = SSL_read_ex(ssl_.get(), room.data(), room.size(), &bytes);
    heard_ = heard_ || result == 1;
    if (result == 1) return {Flow::moved, bytes};
    return tls_result(result);
  }
  const ssize_t bytes = ::recv(number(), room.data(), room.size(), 0);
  if (bytes > 0) return {Flow::moved, static_cast<std::size_t>(bytes)};
  if (bytes == 0) return {Flow::ended};
  if (errno == EAGAIN || errno == EINTR) return {Flow::wants_read};
  return failed_with(errno);
}

Transfer Link::write_some(std::span<const char> data) {
  if (!is_open()) return {};
  if (ssl_ != nullptr) {
    ERR_clear_error();
    std::size_t bytes = 0;
    const int result = SSL_write_ex(ssl_.get(), data.data(), data.size(), &bytes);
    if (result == 1) return {Flow::moved, bytes};
    return tls_result(result);
  }
  const ssize_t bytes = ::send(number(), data.data(), data.size(), MSG_NOSIGNAL);
  if (bytes >= 0) return {Flow::moved, static_cast<std::size_t>(bytes)};
  if (errno == EAGAIN || errno == EINTR) return {Flow::wants_write};
  return failed_with(errno);
}

Flow Link::end_writing() {
  if (!is_open()) return Flow::failed;
  if (ssl_ != nullptr) {
    ERR_clear_error();
    // 0: ours is sent, theirs has not come yet, which is what a half-close is.
    const int result = SSL_shutdown(ssl_.get());
    if (result < 0) {
      const Flow flow = tls_result(result).flow;
      if (flow != Flow::wants_read) return flow;
    }
  }
  return ::shutdown(number(), SHUT_WR) == 0 ? Flow::moved : failed_with(errno).flow;
}

void Link::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void Link::reset() {
  if (is_open()) reset_on_close(number());
  close();
}

void Link::expire() {
  expired_ = true;
  reset();
}

void Link::wake() {
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

Transfer Link::failed_with(int number) {
  if (!failure_.has_value()) {
    failure_ = number == ETIMEDOUT
                   ? make_error(Errc::unavailable, name_ + " stopped acknowledging what is sent")
                   : make_error(Errc::unavailable,
                                name_ + " ended the connection (" + std::strerror(number) + ")");
  }
  return {};
}

Transfer Link::tls_result(int result) {
  const int number = errno;
  // Total by its last line: OpenSSL may add reasons.
  const int reason = SSL_get_error(ssl_.get(), result);
  if (reason == SSL_ERROR_WANT_READ) return {Flow::wants_read};
  if (reason == SSL_ERROR_WANT_WRITE) return {Flow::wants_write};
  if (reason == SSL_ERROR_ZERO_RETURN) return {Flow::ended};
  const bool broken = reason == SSL_ERROR_SYSCALL;
  if (broken && number == ETIMEDOUT) return failed_with(number);
  const TlsBreak how{heard_, broken ? number : 0};
  Error failure = tls_failure(*ssl_, name_, how);
  // Writing may have failed before the reason for that was read.
  if (!failure_.has_value() || failure.errc == Errc::unauthorized) failure_ = std::move(failure);
  return {};
}

awaitable<void> until_ready(LinkPtr link, Flow wants) {
  using Descriptor = boost::asio::posix::stream_descriptor;
  constexpr auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
  const auto direction =
      wants == Flow::wants_write ? Descriptor::wait_write : Descriptor::wait_read;
  std::tuple<boost::system::error_code> ended =
      co_await link->socket().async_wait(direction, token);
  static_cast<void>(ended);
}

awaitable<Flow> write_all(LinkPtr link, std::string data) {
  std::size_t done = 0;
  while (done < data.size()) {
    const Transfer put = link->write_some(std::span(data).subspan(done));
    const Flow flow = put.flow;
    if (flow == Flow::failed || flow == Flow::ended) co_return Flow::failed;
    if (flow != Flow::moved) co_await until_ready(link, flow);
    done += put.bytes;
  }
  co_return Flow::moved;
}

awaitable<Flow> finish_writing(LinkPtr link) {
  while (true) {
    const Flow flow = link->end_writing();
    if (flow != Flow::wants_write) co_return flow;
    co_await until_ready(link, flow);
  }
}

LinkTimer::LinkTimer(const LinkPtr& link, std::chrono::milliseconds wait)
    : timer_(link->socket().get_executor()), link_(std::make_shared<std::weak_ptr<Link>>(link)) {
  timer_.expires_after(wait);
  auto ring = [target = std::weak_ptr(link_)](boost::system::error_code cancelled) {
    const auto held = target.lock();
    if (cancelled || held == nullptr) return;
    if (const LinkPtr late = held->lock()) late->expire();
  };
  timer_.async_wait(ring);
}

}  // namespace locker::backends::zookeeper::relay
