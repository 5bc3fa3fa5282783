#include "lockd/http/server.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lockd/http/connection.h"
#include "lockd/http/hub.h"
#include "lockd/http/unix_socket.h"

namespace locker::lockd::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;

// Errors are values, so an exception here is a bug or the end of memory.
void spawn(const asio::any_io_executor& executor, awaitable<void> work) {
  auto ended = [](const std::exception_ptr& failure) {
    if (failure != nullptr) std::terminate();
  };
  asio::co_spawn(executor, std::move(work), ended);
}

std::string address_of(const sockaddr_storage& storage) {
  boost::system::error_code ignored;
  asio::ip::address address;
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    address = asio::ip::address_v4(ntohl(v4.sin_addr.s_addr));
  } else {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
    asio::ip::address_v6::bytes_type bytes;
    std::copy(std::begin(v6.sin6_addr.s6_addr), std::end(v6.sin6_addr.s6_addr), bytes.begin());
    const asio::ip::address_v6 whole(bytes);
    address = whole;
    // One client is one address, over whichever family it came.
    if (whole.is_v4_mapped()) address = asio::ip::make_address_v4(asio::ip::v4_mapped, whole);
  }
  return address.to_string();
}

Peer peer_of(int socket) {
  Peer peer;
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return peer;
  if (storage.ss_family != AF_UNIX) {
    peer.address = address_of(storage);
    return peer;
  }
  peer.unix_socket = true;
  ucred credentials{};
  size = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
    peer.pid = credentials.pid;
    peer.uid = credentials.uid;
    peer.gid = credentials.gid;
  }
  return peer;
}

// One try: a client that comes too often is not worth waiting for.
void turn_away(Hub& hub, int socket, const Refusal& refusal) {
  const std::string id = hub.next_request_id();
  const Response response = problem_of(refusal, id);
  std::string text;
  const AnswerFacts facts{
      .request_id = id, .keep_alive = false, .version_1_1 = true, .length = response.body.size()};
  append_head(response, facts, text);
  text += response.body;
  if (::send(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    ::shutdown(socket, SHUT_WR);
  }
}

void welcome(const std::shared_ptr<Hub>& hub, Socket socket) {
  const int handle = socket.native_handle();
  ::fcntl(handle, F_SETFD, FD_CLOEXEC);
  Peer peer = peer_of(handle);
  // The peer is gone already, or there would be an address.
  if (!peer.unix_socket && peer.address.empty()) return;
  if (const std::optional<Refusal> refusal = hub->refuses(peer)) {
    turn_away(*hub, handle, *refusal);
    return;
  }
  const int on = 1;
  if (!peer.unix_socket) ::setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto connection = std::make_shared<Connection>(hub, std::move(socket), std::move(peer));
  spawn(hub->executor(), Connection::serve(std::move(connection)));
}

template <typename Acceptor>
awaitable<void> accept_all(std::shared_ptr<Hub> hub, std::shared_ptr<Acceptor> acceptor) {
  asio::steady_timer pause(hub->executor());
  boost::system::error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  while (acceptor->is_open()) {
    Socket socket(hub->executor());
    co_await acceptor->async_accept(socket, token);
    if (!acceptor->is_open()) co_return;
    if (!error) {
      welcome(hub, std::move(socket));
    } else if (error != asio::error::connection_aborted) {
      // Out of descriptors or memory: the waiting connections stay in the kernel's queue.
      pause.expires_after(std::chrono::milliseconds(100));
      co_await pause.async_wait(token);
    }
  }
}

}  // namespace

struct Server::Listeners {
  std::vector<std::shared_ptr<tcp::acceptor>> over_tcp;
  std::vector<std::shared_ptr<Local::acceptor>> over_unix;
  std::vector<UnixSocketFile> files;
};

Server::Server(asio::any_io_executor executor, ServerOptions options, Handler handler)
    : hub_(std::make_shared<Hub>(std::move(executor), std::move(options), std::move(handler))),
      listeners_(std::make_unique<Listeners>()) {}

Server::~Server() {
  stop_accepting();
  hub_->on_closed = nullptr;
  hub_->close_all();
}

Result<void> Server::listen_unix(std::string path, unsigned mode) {
  Result<BoundUnixSocket> bound = bind_unix_socket(path, mode);
  if (!bound) return bound.error();
  boost::system::error_code error;
  auto acceptor = std::make_shared<Local::acceptor>(hub_->executor());
  acceptor->assign(Local(), bound->descriptor, error);
  if (error) {
    ::close(bound->descriptor);
    remove_unix_socket(bound->file);
    return make_error(Errc::config, "listen", path + ": " + error.message() + ".");
  }
  listeners_->files.push_back(bound->file);
  listeners_->over_unix.push_back(acceptor);
  spawn(hub_->executor(), accept_all(hub_, std::move(acceptor)));
  return {};
}

Result<int> Server::listen_tcp(std::string address, int port) {
  const std::string name = address + ":" + std::to_string(port);
  boost::system::error_code error;
  const asio::ip::address numeric = asio::ip::make_address(address, error);
  if (error || port < 0 || port > 65535) {
    return make_error(Errc::config, "listen", name + " is not a numeric address with a port.");
  }
  const tcp::endpoint endpoint(numeric, static_cast<asio::ip::port_type>(port));
  auto acceptor = std::make_shared<tcp::acceptor>(hub_->executor());
  acceptor->open(endpoint.protocol(), error);
  if (!error) ::fcntl(acceptor->native_handle(), F_SETFD, FD_CLOEXEC);
  if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(tcp::acceptor::max_listen_connections, error);
  if (error) {
    return make_error(Errc::config, "listen",
                      "Can't listen on " + name + ": " + error.message() + ".");
  }
  const int bound_port = acceptor->local_endpoint(error).port();
  listeners_->over_tcp.push_back(acceptor);
  spawn(hub_->executor(), accept_all(hub_, std::move(acceptor)));
  return bound_port;
}

void Server::stop_accepting() {
  boost::system::error_code ignored;
  for (const auto& acceptor : listeners_->over_tcp) acceptor->close(ignored);
  for (const auto& acceptor : listeners_->over_unix) acceptor->close(ignored);
  for (const UnixSocketFile& file : listeners_->files) remove_unix_socket(file);
  *listeners_ = {};
}

awaitable<void> Server::drain(std::chrono::steady_clock::time_point deadline) {
  stop_accepting();
  const std::shared_ptr<Hub> hub = hub_;
  hub->drain();
  co_await hub->wait_until_empty(deadline);
  hub->close_all();
}

void Server::on_connection_closed(std::function<void(std::uint64_t)> callback) {
  hub_->on_closed = std::move(callback);
}

std::size_t Server::open_connections() const {
  return hub_->size();
}

}  // namespace locker::lockd::http
