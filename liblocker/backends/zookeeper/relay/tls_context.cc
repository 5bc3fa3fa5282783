#include "backends/zookeeper/relay/tls_context.h"

#include <sys/stat.h>

#include <vector>

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <boost/asio/ip/address.hpp>

#include "backends/zookeeper/relay/tls_failure.h"
#include "backends/zookeeper/relay/tls_files.h"

namespace locker::backends::zookeeper::relay {
namespace {

Error broken(const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return make_error(Errc::internal,
                    "OpenSSL fails to " + what + " (" + (reason != nullptr ? reason : "?") + ")");
}

Result<void> trust(SSL_CTX& context, const std::string& ca_file) {
  if (ca_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(&context) == 1) return {};
    return broken("find the system's authorities");
  }
  const Result<std::vector<CertificatePtr>> authorities = read_certificates(ca_file);
  if (!authorities) return authorities.error();
  X509_STORE* store = SSL_CTX_get_cert_store(&context);
  for (const CertificatePtr& each : *authorities) {
    if (X509_STORE_add_cert(store, each.get()) != 1) return broken("keep an authority");
  }
  // What the file names is believed as it stands, be it a root or not: Java's trust stores are
  // meant so.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return {};
}

Result<void> identify(SSL_CTX& context, const TlsOptions& options) {
  if (options.certificate_file.empty()) {
    if (options.key_file.empty()) return {};
    return make_error(Errc::config,
                      "there is a TLS key, " + options.key_file + ", and no certificate to it");
  }
  const std::string& key_file =
      options.key_file.empty() ? options.certificate_file : options.key_file;
  const Result<std::vector<CertificatePtr>> chain = read_certificates(options.certificate_file);
  if (!chain) return chain.error();
  const Result<KeyPtr> key = read_key(key_file);
  if (!key) return key.error();
  if (SSL_CTX_use_certificate(&context, chain->front().get()) != 1) {
    return broken("use the certificate in " + options.certificate_file);
  }
  for (std::size_t index = 1; index < chain->size(); ++index) {
    if (SSL_CTX_add1_chain_cert(&context, (*chain)[index].get()) != 1) {
      return broken("use the certificates in " + options.certificate_file);
    }
  }
  if (SSL_CTX_use_PrivateKey(&context, key->get()) == 1 && SSL_CTX_check_private_key(&context) == 1)
    return {};
  ERR_clear_error();
  return make_error(Errc::config, "the TLS key " + key_file +
                                      " does not belong to the certificate " +
                                      options.certificate_file);
}

void configure(SSL_CTX& context) {
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  SSL_CTX_set_options(&context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(&context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  // One system call a message instead of one for its header and one for its body.
  SSL_CTX_set_read_ahead(&context, 1);
  check_and_remember(context);
}

// OpenSSL's own macro for it is a cast that our warnings forbid.
bool call_by_name(SSL& ssl, std::string host) {
  return SSL_ctrl(&ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data()) == 1;
}

}  // namespace

Result<std::unique_ptr<TlsContext>> TlsContext::load(TlsOptions options) {
  std::unique_ptr<TlsContext> loaded(new TlsContext(std::move(options)));
  loaded->seen_ = loaded->look();
  Result<ContextPtr> context = loaded->read();
  if (!context) return std::move(context).error();
  loaded->context_ = *std::move(context);
  return loaded;
}

TlsContext::Seen TlsContext::look() const {
  Seen seen{};
  std::size_t index = 0;
  for (const std::string* path :
       {&options_.ca_file, &options_.certificate_file, &options_.key_file}) {
    struct stat status {};
    if (!path->empty() && ::stat(path->c_str(), &status) == 0) {
      seen[index] = {static_cast<std::int64_t>(status.st_ino), status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, status.st_size};
    }
    ++index;
  }
  return seen;
}

Result<TlsContext::ContextPtr> TlsContext::read() const {
  ContextPtr context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return broken("begin");
  configure(*context);
  Result<void> trusted = trust(*context, options_.ca_file);
  if (!trusted) return std::move(trusted).error();
  Result<void> identified = identify(*context, options_);
  if (!identified) return std::move(identified).error();
  return context;
}

Result<void> TlsContext::refresh() {
  const Seen seen = look();
  if (seen == seen_) return {};
  Result<ContextPtr> context = read();
  if (!context) return std::move(context).error();
  context_ = *std::move(context);
  seen_ = seen;
  return {};
}

Result<SslPtr> TlsContext::open(const std::string& host, int socket) const {
  SslPtr ssl(SSL_new(context_.get()));
  if (ssl == nullptr || SSL_set_fd(ssl.get(), socket) != 1) return broken("begin with a server");
  SSL_set_connect_state(ssl.get());
  boost::system::error_code not_numeric;
  boost::asio::ip::make_address(host, not_numeric);
  // A server may choose its certificate by the name that it is called by, but never by an address.
  const bool named =
      not_numeric ? SSL_set1_host(ssl.get(), host.c_str()) == 1 && call_by_name(*ssl, host)
                  : X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), host.c_str()) == 1;
  if (!named) return broken("ask for the host " + host);
  return ssl;
}

}  // namespace locker::backends::zookeeper::relay
