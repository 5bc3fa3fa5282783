#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include <locker/result.h>

#include "backends/zookeeper/relay/tls_options.h"
#include "core/url.h"

namespace locker::backends::zookeeper {

struct RelayOptions {
  std::vector<core::UrlHost> servers;  // each with its port
  std::optional<TlsOptions> tls;       // nothing: plain TCP
  // The most that a connection to one server may take, and that its TLS handshake may take.
  std::chrono::milliseconds dial_timeout{1000};
  // Of the sessions that go through; every patience of the relay is a fraction of it.
  std::chrono::milliseconds session_timeout{30000};
  // Finds the addresses of a name and may block; called from threads of its own. Empty: the
  // system's resolver.
  std::function<Result<std::vector<boost::asio::ip::address>>(const std::string&)> look_up;
};

// Stands between ZooKeeper's C client and the ensemble. The client is given one address,
// "127.0.0.1:<port()>"; for each of its connections the relay finds, within about a second, a
// server that answers, and copies bytes both ways until either side ends. It lives on one thread of
// its own, on which no signal is delivered; every member may be called from any thread.
//
// It serves connections of this very process and resets all others: they would act under its TLS
// identity.
class Relay {
 public:
  // Listens, and begins to look up the servers' names. Errors:
  //   config        no server, one without a port, or a TLS file that cannot be used
  //   unauthorized  the key may be read by everybody
  //   unavailable   the system has no descriptor, no thread or no loopback for it
  static Result<std::unique_ptr<Relay>> start(RelayOptions options);

  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  // Ends every connection.
  ~Relay();

  std::uint16_t port() const;

  // Why no server was found for the newest connection that wanted one, or why the newest one ended
  // early; nothing once a server answered again. One sentence that names each server.
  // `unauthorized` where a certificate is the reason, with the code `untrusted_server` (theirs) or
  // `certificate_refused` (ours); otherwise `unavailable`.
  std::optional<Error> last_failure() const;

  // How many connections of other processes were refused.
  std::uint64_t strangers() const;

 private:
  class Operation;

  explicit Relay(std::unique_ptr<Operation> operation);

  std::unique_ptr<Operation> operation_;
};

}  // namespace locker::backends::zookeeper
