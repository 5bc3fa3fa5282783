#pragma once

#include <vector>

#include "runtime/lock_backend.h"
#include "runtime/surely.h"

namespace locker::runtime {

// Looks for a cycle of waits that the request closes, given its own tickets and those ahead of it.
// The tickets are the graph: an owner waits for whoever stands before one of its tickets in a
// conflicting place. Only what is older than the request counts, so of all members of a cycle the
// youngest alone can see it, and is the victim.
// Answers the cycle, one ticket for each owner in it, beginning with whom the request waits for;
// empty: there is none. A cycle is reported only if a second pass, after a confirmed write, finds
// one again: the first may have mixed answers of different moments.
awaitable<Result<std::vector<StandingTicket>>> find_cycle(ClockPtr clock, LifelinePtr line,
                                                          RequestPtr request,
                                                          std::vector<core::Ticket> mine,
                                                          std::vector<StandingTicket> ahead);

}  // namespace locker::runtime
