#pragma once

#include <string>

namespace locker::backends::zookeeper::relay {

// "OpenSSL 3.0.17", the library that is loaded.
std::string tls_version();

}  // namespace locker::backends::zookeeper::relay
