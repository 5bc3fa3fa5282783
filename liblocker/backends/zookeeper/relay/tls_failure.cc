#include "backends/zookeeper/relay/tls_failure.h"

#include <array>
#include <cstring>
#include <ctime>
#include <memory>

#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace locker::backends::zookeeper::relay {
namespace {

constexpr std::size_t most_names = 4;

// Where a connection remembers that it was asked; the address of `asked_for_us` says yes.
int request_slot() {
  static const int slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return slot;
}

int asked_for_us(SSL* ssl, void*) {
  static char yes;
  SSL_set_ex_data(ssl, request_slot(), &yes);
  return 1;
}

bool was_asked(const SSL& ssl) {
  return SSL_get_ex_data(&ssl, request_slot()) != nullptr;
}

void drop_certificate(void*, void* certificate, CRYPTO_EX_DATA*, int, long, void*) {
  X509_free(static_cast<X509*>(certificate));
}

// Where a connection keeps the certificate that it did not trust: the server's or one above it.
// OpenSSL itself forgets it with the handshake.
int certificate_slot() {
  static const int slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, drop_certificate);
  return slot;
}

int keep_untrusted(int trusted, X509_STORE_CTX* verification) {
  if (trusted == 1) return trusted;
  X509* certificate = X509_STORE_CTX_get_current_cert(verification);
  SSL* ssl = static_cast<SSL*>(
      X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()));
  if (certificate == nullptr || ssl == nullptr) return trusted;
  drop_certificate(nullptr, SSL_get_ex_data(ssl, certificate_slot()), nullptr, 0, 0, nullptr);
  X509_up_ref(certificate);
  SSL_set_ex_data(ssl, certificate_slot(), certificate);
  return trusted;
}

// What a server calls itself, as its certificate shows it; anybody may have written it, so what is
// not printable is left out.
std::string names_of(const X509& certificate) {
  using Names = std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)>;
  const Names names(static_cast<GENERAL_NAMES*>(
                        X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)),
                    GENERAL_NAMES_free);
  std::string text;
  const int count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names.get());
  for (int index = 0; index < count && index < static_cast<int>(most_names); ++index) {
    const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), BIO_free);
    GENERAL_NAME_print(bio.get(), sk_GENERAL_NAME_value(names.get(), index));
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    if (index > 0) text += ", ";
    text.append(data, static_cast<std::size_t>(size));
  }
  if (names == nullptr) {
    std::array<char, 256> common{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(&certificate), NID_commonName, common.data(),
                              common.size());
    text = common.data();
  }
  std::erase_if(text, [](char character) { return character < ' ' || character > '~'; });
  return text.empty() ? "nobody" : text;
}

std::string day_of(const ASN1_TIME* time) {
  std::tm parts{};
  std::array<char, 32> text{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) return "?";
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return text.data();
}

std::string why_untrusted(SSL& ssl, const std::string& name) {
  const int verdict = static_cast<int>(SSL_get_verify_result(&ssl));
  const auto* certificate = static_cast<X509*>(SSL_get_ex_data(&ssl, certificate_slot()));
  if (certificate != nullptr) {
    if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
      return "the certificate of " + name + " is for another host (" + names_of(*certificate) +
             "): name the server as its certificate does";
    }
    if (verdict == X509_V_ERR_CERT_HAS_EXPIRED) {
      return "the certificate of " + name + ", or one that it rests on, has expired on " +
             day_of(X509_get0_notAfter(certificate)) + ": renew it";
    }
    if (verdict == X509_V_ERR_CERT_NOT_YET_VALID) {
      return "the certificate of " + name + ", or one that it rests on, is not valid before " +
             day_of(X509_get0_notBefore(certificate)) + ": compare the hosts' clocks";
    }
  }
  return "the certificate of " + name + " is not to be trusted (" +
         X509_verify_cert_error_string(verdict) + "): set the CA that has signed it";
}

Error untrusted(std::string message) {
  return make_error(Errc::unauthorized, "untrusted_server", std::move(message));
}

// What the server says of our certificate. Some only hang up, once they have asked in vain.
Error refused(SSL& ssl, const std::string& name) {
  const bool shown = SSL_get_certificate(&ssl) != nullptr;
  return make_error(Errc::unauthorized, "certificate_refused",
                    shown ? name +
                                " refuses our TLS certificate: it must be valid and signed by a "
                                "CA that the server trusts"
                          : name +
                                " wants a TLS certificate of ours and there is none: set "
                                "certificate and key");
}

bool is_about_certificates(int alert) {
  return (alert >= SSL_AD_NO_CERTIFICATE && alert <= SSL_AD_CERTIFICATE_UNKNOWN) ||
         alert == SSL_AD_UNKNOWN_CA || alert == SSL_AD_ACCESS_DENIED ||
         alert == SSL_AD_CERTIFICATE_REQUIRED;
}

std::string what_happened(SSL& ssl, const std::string& name, int reason, TlsBreak how) {
  if (how.system_number != 0) {
    return name + " ended the connection (" + std::strerror(how.system_number) + ")";
  }
  if (reason == SSL_R_UNSUPPORTED_PROTOCOL || reason == SSL_R_TLSV1_ALERT_PROTOCOL_VERSION) {
    return name + " does not speak TLS 1.2 or newer";
  }
  if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_PACKET_LENGTH_TOO_LONG ||
      reason == SSL_R_BAD_RECORD_TYPE) {
    return name + " does not answer in TLS: is that its plain port?";
  }
  const bool cut = reason == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  if (cut && SSL_in_init(&ssl)) {
    return name + " hung up during the TLS handshake: is that its plain port?";
  }
  if (cut) return name + " ended the connection";
  const char* text = ERR_reason_error_string(ERR_peek_error());
  return "TLS with " + name + " failed (" + (text != nullptr ? text : std::to_string(reason)) + ")";
}

}  // namespace

void check_and_remember(SSL_CTX& context) {
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, keep_untrusted);
  SSL_CTX_set_cert_cb(&context, asked_for_us, nullptr);
}

Error tls_failure(SSL& ssl, const std::string& name, TlsBreak how) {
  const int reason = ERR_GET_REASON(ERR_peek_error());
  const int alert = reason - SSL_AD_REASON_OFFSET;
  const bool cut =
      how.system_number != 0 || reason == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  const bool in_vain = was_asked(ssl) && SSL_get_certificate(&ssl) == nullptr && !how.heard;
  Error failure;
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    failure = untrusted(why_untrusted(ssl, name));
  } else if (is_about_certificates(alert) ||
             (in_vain && (cut || alert == SSL_AD_HANDSHAKE_FAILURE))) {
    failure = refused(ssl, name);
  } else {
    failure = make_error(Errc::unavailable, what_happened(ssl, name, reason, how));
  }
  ERR_clear_error();
  return failure;
}

}  // namespace locker::backends::zookeeper::relay
