#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <locker/result.h>

#include "core/ticket.h"

namespace locker::core {

// The most bytes that one atomic step may carry: half of ZooKeeper's packet limit.
inline constexpr std::size_t step_limit_bytes = 512 * 1024;

// A set as it is enqueued.
struct PreparedSet {
  std::vector<Place> places;  // sorted by path, no duplicates
  bool escalated = false;     // tables stand for some of their partitions
};

// What one place costs in a step, in bytes: its path, its node name and its share of the data.
std::size_t step_cost_bytes(const Place& place);

// Makes a set ready for one atomic step: equal resources become one in the stronger mode; a member
// below another of the same or a stronger mode is left out, otherwise both stay. A set over
// `limit_bytes` escalates table by table, the most costly first, in the strongest mode among the
// replaced members, and never above a table. Errors: invalid (empty set), too_large (even so).
Result<PreparedSet> prepare_set(std::span<const Place> places,
                                std::size_t limit_bytes = step_limit_bytes);

}  // namespace locker::core
