#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/ticket.h"

namespace locker::core {

// Whose turn it is, decided from what stands and nothing else.
struct Turn {
  enum class Kind {
    granted,  // nobody older is in the way
    waits,    // `ahead` are in the way
    absent,   // a ticket of the request is gone: its session ended, or it was broken
  };
  Kind kind = Kind::absent;
  // The older conflicting tickets of other owners, oldest first; the last is the one to watch.
  std::vector<Ticket> ahead;
};

// The request `mine` is granted when every member of it stands and no older conflicting ticket of
// another owner does. `standing` may hold anything, in any order, `mine` included.
// An owner's own tickets and the tickets of one request never stand in each other's way. A younger
// ticket never does either: so a later reader can't overtake an earlier writer, and an upgrade,
// which is a new request at the end of the queue, waits for whoever came between.
Turn turn_of(std::span<const Ticket> mine, std::span<const Ticket> standing);

}  // namespace locker::core
