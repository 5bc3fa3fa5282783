#pragma once

#include <functional>
#include <string>

#include <openssl/ssl.h>

#include "tests/zookeeper/relay/fake_server.h"

namespace locker::tests {

// A file among the certificates of this run, from LOCKER_TEST_CERTIFICATES; the test fails without.
std::string certificate(const std::string& name);

struct TlsServerOptions {
  std::string certificate = "server.pem";  // with its key
  // Whose clients' certificates are taken; empty: clients need none.
  std::string client_ca{};
  int least_version = TLS1_2_VERSION;
  int greatest_version = TLS1_3_VERSION;
};

// One end of a TLS connection in a test, which blocks.
class TlsLine {
 public:
  explicit TlsLine(SSL& ssl) : ssl_(ssl) {}

  bool send(const std::string& data);
  std::string receive(std::size_t bytes);
  std::string receive_packet();
  std::string receive_all();
  // Whether the end was told in TLS, and not just came.
  bool was_told_the_end();
  void end_sending();
  // By what name the other side called this one; empty: by none.
  std::string called_by();

 private:
  SSL& ssl_;
};

// What a FakeServer does that speaks TLS. A connection that fails its handshake just ends.
FakeServer::Script over_tls(TlsServerOptions options, std::function<void(TlsLine&)> script);
// The same as `answering`.
FakeServer::Script answering_over_tls(TlsServerOptions options, std::string text);

}  // namespace locker::tests
