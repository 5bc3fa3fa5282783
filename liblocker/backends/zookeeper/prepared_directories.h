#pragma once

#include <vector>

#include "backends/zookeeper/reading.h"

namespace locker::backends::zookeeper {

// Makes a node for each of these directories that stays there without children, with the time until
// which it is to be kept; how many were made. A later time is kept, a sooner one is put off.
runtime::awaitable<Result<int>> prepare_directories(ViewPtr view,
                                                    std::vector<core::Resource> resources,
                                                    WallMs until_ms);

}  // namespace locker::backends::zookeeper
