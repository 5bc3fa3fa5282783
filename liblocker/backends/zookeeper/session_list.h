#pragma once

#include <vector>

#include "backends/zookeeper/reading.h"

namespace locker::backends::zookeeper {

// Every session that has a node of ours, and those of other clients that stand in queues. A session
// without a node of its own that still has places was broken, or its node was removed by hand.
runtime::awaitable<Result<std::vector<SessionInfo>>> list_sessions(
    ViewPtr view, std::shared_ptr<runtime::Clock> clock);

}  // namespace locker::backends::zookeeper
