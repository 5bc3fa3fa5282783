#pragma once

#include <string>

namespace locker::backends::zookeeper {

// How the relay proves who it is, and whom it believes. The server's certificate is always checked,
// against the host's name as the servers' list gives it; TLS 1.2 is the oldest that is spoken.
// Every file is PEM. A file that changes is read again before the next connection.
struct TlsOptions {
  std::string ca_file;           // whom to believe; empty: the system's authorities
  std::string certificate_file;  // ours, then its chain; empty: none is shown
  std::string key_file;          // without a passphrase; empty: it stands in certificate_file
};

}  // namespace locker::backends::zookeeper
