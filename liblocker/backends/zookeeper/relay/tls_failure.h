#pragma once

#include <string>

#include <openssl/ssl.h>

#include <locker/result.h>

namespace locker::backends::zookeeper::relay {

// Makes every connection of the context refuse whom it does not trust, and remember what a failure
// is to say: whom that was, and whether the server asked who we are.
void check_and_remember(SSL_CTX& context);

// What just went wrong on a TLS connection.
struct TlsBreak {
  bool heard = false;     // the server has sent something that is not TLS's own
  int system_number = 0;  // the errno of a broken connection; 0: there is none
};
// The same in one sentence, with `name` for the server. Errors: unauthorized/untrusted_server (its
// certificate), unauthorized/certificate_refused (ours, or that there is none), unavailable
// (anything else). Empties OpenSSL's queue of errors.
Error tls_failure(SSL& ssl, const std::string& name, TlsBreak how);

}  // namespace locker::backends::zookeeper::relay
