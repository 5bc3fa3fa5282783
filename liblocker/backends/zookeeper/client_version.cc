#include "backends/zookeeper/client_version.h"

#include <zookeeper/zookeeper_version.h>

namespace locker::backends::zookeeper {

std::string client_version() {
  return "ZooKeeper C client " ZOO_VERSION;
}

}  // namespace locker::backends::zookeeper
