#pragma once

#include <locker/result.h>

namespace locker::backends::zookeeper::relay {

// Whether the other end of an accepted connection is a socket of this process. A copy that a forked
// child holds counts too: it is the same connection.
bool is_from_this_process(int accepted);

// Whether that can be told here. Error: config, where /proc is not there.
Result<void> check_own_descriptors();

}  // namespace locker::backends::zookeeper::relay
