#pragma once

#include <string>
#include <string_view>

#include <locker/result.h>

namespace locker::backends::zookeeper {

// "host:port,[::1]:port" in the client's own spelling, which knows no brackets. Error:
// config/bad_servers.
Result<std::string> client_servers(std::string_view servers);

}  // namespace locker::backends::zookeeper
