#include "tests/zookeeper/relay/tls_server.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <utility>

#include "tests/support/test.h"

namespace locker::tests {
namespace {

struct Free {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using ContextPtr = std::shared_ptr<SSL_CTX>;

ContextPtr make_context(const TlsServerOptions& options) {
  ContextPtr context(SSL_CTX_new(TLS_server_method()), Free());
  const std::string file = certificate(options.certificate);
  // The oldest versions only work without OpenSSL's own precautions.
  if (options.greatest_version < TLS1_2_VERSION) {
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_cipher_list(context.get(), "ALL:@SECLEVEL=0");
  }
  SSL_CTX_set_min_proto_version(context.get(), options.least_version);
  SSL_CTX_set_max_proto_version(context.get(), options.greatest_version);
  if (SSL_CTX_use_certificate_chain_file(context.get(), file.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context.get(), file.c_str(), SSL_FILETYPE_PEM) != 1) {
    std::abort();
  }
  if (!options.client_ca.empty()) {
    const std::string ca = certificate(options.client_ca);
    if (SSL_CTX_load_verify_file(context.get(), ca.c_str()) != 1) std::abort();
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

}  // namespace

std::string certificate(const std::string& name) {
  const char* folder = std::getenv("LOCKER_TEST_CERTIFICATES");
  if (folder == nullptr) FAIL("run this through certificates.py");
  return std::string(folder) + "/" + name;
}

bool TlsLine::send(const std::string& data) {
  std::size_t bytes = 0;
  return SSL_write_ex(&ssl_, data.data(), data.size(), &bytes) == 1;
}

std::string TlsLine::receive(std::size_t bytes) {
  std::string data(bytes, '\0');
  std::size_t done = 0;
  std::size_t got = 0;
  while (done < bytes && SSL_read_ex(&ssl_, data.data() + done, bytes - done, &got) == 1)
    done += got;
  data.resize(done);
  return data;
}

std::string TlsLine::receive_packet() {
  const std::string head = receive(4);
  if (head.size() < 4) return {};
  std::size_t size = 0;
  for (const char each : head) size = size << 8U | static_cast<unsigned char>(each);
  return receive(size);
}

std::string TlsLine::receive_all() {
  std::string data;
  std::array<char, 16384> part;
  std::size_t got = 0;
  while (SSL_read_ex(&ssl_, part.data(), part.size(), &got) == 1) data.append(part.data(), got);
  return data;
}

bool TlsLine::was_told_the_end() {
  return (SSL_get_shutdown(&ssl_) & SSL_RECEIVED_SHUTDOWN) != 0;
}

void TlsLine::end_sending() {
  SSL_shutdown(&ssl_);
}

std::string TlsLine::called_by() {
  const char* name = SSL_get_servername(&ssl_, TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

FakeServer::Script over_tls(TlsServerOptions options, std::function<void(TlsLine&)> script) {
  // OpenSSL writes to whoever has left.
  std::signal(SIGPIPE, SIG_IGN);
  return [context = make_context(options), script = std::move(script)](Line& line) {
    const std::unique_ptr<SSL, Free> ssl(SSL_new(context.get()));
    SSL_set_fd(ssl.get(), line.number());
    if (SSL_accept(ssl.get()) != 1) return;
    TlsLine tls(*ssl);
    script(tls);
  };
}

FakeServer::Script answering_over_tls(TlsServerOptions options, std::string text) {
  return over_tls(std::move(options), [text = packet(text)](TlsLine& line) {
    while (!line.receive_packet().empty()) {
      if (!line.send(text)) return;
    }
  });
}

}  // namespace locker::tests
