#pragma once

#include <string>

namespace locker::backends::zookeeper {

// "ZooKeeper C client 3.8.0"
std::string client_version();

}  // namespace locker::backends::zookeeper
