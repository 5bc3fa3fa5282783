#include "backends/zookeeper/relay/tls_version.h"

#include <openssl/ssl.h>

namespace locker::backends::zookeeper::relay {

std::string tls_version() {
  return std::string("OpenSSL ") + OpenSSL_version(OPENSSL_VERSION_STRING);
}

}  // namespace locker::backends::zookeeper::relay
