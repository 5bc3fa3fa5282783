#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <openssl/ssl.h>

#include <locker/result.h>

#include "backends/zookeeper/relay/tls_options.h"

namespace locker::backends::zookeeper::relay {

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using SslPtr = std::unique_ptr<SSL, FreeSsl>;

// What the TLS files say, read once and again when one of them changes. One thread at a time.
class TlsContext {
 public:
  // Errors: config (a file is missing, broken, or does not fit another), unauthorized (everybody
  // may read the key).
  static Result<std::unique_ptr<TlsContext>> load(TlsOptions options);

  // TLS over a connected socket, which stays the caller's, with a server that must be `host`: a
  // name or an address. Error: config, internal.
  Result<SslPtr> open(const std::string& host, int socket) const;

  // Reads the files again if one has changed. An error leaves all as it was.
  Result<void> refresh();

 private:
  using ContextPtr = std::unique_ptr<SSL_CTX, FreeSsl>;
  // When and as what each file was last seen; 0 for one that is not there.
  using Seen = std::array<std::array<std::int64_t, 4>, 3>;

  explicit TlsContext(TlsOptions options) : options_(std::move(options)) {}
  Seen look() const;
  Result<ContextPtr> read() const;

  TlsOptions options_;
  ContextPtr context_;
  Seen seen_{};
};

}  // namespace locker::backends::zookeeper::relay
