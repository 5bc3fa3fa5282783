#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include <locker/lock_mode.h>

#include "core/resource.h"

namespace locker::core {

// A member of a request: where, and how.
struct Place {
  Resource resource;
  LockMode mode = LockMode::exclusive;

  friend auto operator<=>(const Place&, const Place&) = default;
};

// A place in a queue, as the coordinator has it now. A request owns one for each member, all with
// the same position, since they were enqueued in one step.
struct Ticket {
  std::string node;            // the coordinator's name for it, unique and never used again
  std::string request;         // the id of the request that it belongs to
  std::string owner;           // the id of its owner
  Place place;                 // its mode is the lowered one after a downgrade
  std::uint64_t position = 0;  // the coordinator's number of the step that enqueued it
};

// Whether two places of different owners exclude each other.
inline bool conflict(const Place& left, const Place& right) {
  const bool exclusive = left.mode == LockMode::exclusive || right.mode == LockMode::exclusive;
  return exclusive && left.resource.meets(right.resource);
}

}  // namespace locker::core
