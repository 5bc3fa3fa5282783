#pragma once

#include <memory>
#include <string>
#include <vector>

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <locker/result.h>

namespace locker::backends::zookeeper::relay {

struct FreeX509 {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using CertificatePtr = std::unique_ptr<X509, FreeX509>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeX509>;

// At least one certificate, in the file's order. Error: config.
Result<std::vector<CertificatePtr>> read_certificates(const std::string& path);

// A key without a passphrase. Errors: config, and unauthorized where everybody may read it.
Result<KeyPtr> read_key(const std::string& path);

}  // namespace locker::backends::zookeeper::relay
