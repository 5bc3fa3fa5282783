#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include <locker/result.h>

#include "lockd/http/exchange.h"

namespace locker::lockd::http {

// What a client may take of the server. Whoever takes more is answered once and cut off.
struct ServerOptions {
  std::size_t header_limit_bytes = 8 * 1024;     // 431
  std::chrono::milliseconds header_time{5'000};  // 408, from a head's first bytes on
  std::size_t body_limit_bytes = 1024 * 1024;    // 413
  std::chrono::milliseconds body_time{10'000};   // 408, from the end of the head on
  std::chrono::milliseconds idle_time{60'000};   // closed without a word
  std::chrono::milliseconds write_time{10'000};  // cut off, for an answer or a piece of a stream
  std::chrono::milliseconds linger_time{1'000};  // how long a refused client may go on sending
  std::size_t connections_per_address = 256;     // 429, TCP only
  std::size_t connections = 4096;                // 503
  // Host names beside those of loopback that are this daemon's, without a port; else 421.
  std::vector<std::string> allowed_hosts;
};

class Hub;

// The daemon's HTTP/1.1 server: from sockets to a Handler's requests. Belongs to one thread, the
// one that runs `executor`; so do the handler and all callbacks. A handler never sees HEAD: it is
// answered as GET, without the body.
//
// While a handler runs, its peer's leaving is noticed at once: the end of its sending counts as
// leaving, even where it might still read. What a peer that has left would have been told is
// dropped. See docs/design/http-server.md.
class Server {
 public:
  Server(boost::asio::any_io_executor executor, ServerOptions options, Handler handler);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // Stops accepting and closes all connections; the coroutines of handlers that still run end when
  // those return or with the executor's context.
  ~Server();

  // Listens on a Unix socket that has these permissions from its first moment on. The file of a
  // server that is gone is replaced. Errors: conflict (somebody listens there), config.
  Result<void> listen_unix(std::string path, unsigned mode = 0660);
  // Listens on a numeric address; the port that it got, for port 0 a free one. Errors: config.
  Result<int> listen_tcp(std::string address, int port);

  // Closes the listening sockets and removes the Unix socket's file.
  void stop_accepting();
  // Stops accepting, closes idle connections, requests `left` of all running handlers and lets
  // them answer, with `Connection: close`. Returns when all connections are closed, at `deadline`
  // at the latest; what is still open then is cut off.
  awaitable<void> drain(std::chrono::steady_clock::time_point deadline);

  // Called once for each connection that is over, with its number, as soon as that is known: a
  // handler may still run for it. At most one callback; set it before listening.
  void on_connection_closed(std::function<void(std::uint64_t connection)> callback);

  // How many connections there are, those included whose handlers have not returned yet.
  std::size_t open_connections() const;

 private:
  struct Listeners;

  std::shared_ptr<Hub> hub_;
  std::unique_ptr<Listeners> listeners_;
};

}  // namespace locker::lockd::http
