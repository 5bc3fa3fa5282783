#pragma once

#include <vector>

#include <locker/listing.h>

#include "runtime/lock_backend.h"

namespace locker::runtime {

// The queues as people read them: who holds, who waits, and for whom, worked out from the tickets
// alone by the same turn_of that grants. In queue order. `standing` must hold everything that meets
// the tickets of interest; blocked_by is as complete as it is.
std::vector<Contender> queue_view(const std::vector<StandingTicket>& standing);

// Those ahead, as a waiting request reports them: `ahead` is a Turn's, `known` what was seen at the
// first look.
WaitStatus wait_status(const std::vector<core::Ticket>& ahead,
                       const std::vector<StandingTicket>& known);

}  // namespace locker::runtime
