#pragma once

#include <vector>

#include "backends/zookeeper/reading.h"

namespace locker::backends::zookeeper {

// Nodes that nobody needs any more: empty directories without data that are older than five minutes
// (servers before 3.10 keep a container that never had a child), prepared partitions whose time is
// over, and marks of breaks that are older than a day. All by the servers' clock.
runtime::awaitable<Result<std::vector<LeftOver>>> find_left_overs(ViewPtr view,
                                                                  std::int64_t now_ms);
// Removes them, each only if nobody has changed it since it was looked at; how many.
runtime::awaitable<Result<int>> remove_left_overs(ViewPtr view, std::int64_t now_ms);

}  // namespace locker::backends::zookeeper
