#pragma once

#include <string>
#include <vector>

#include <locker/listing.h>
#include <locker/partition_locker.h>

#include "runtime/lock_backend.h"

namespace locker::runtime {

// The sentences that waiting ends with; each says what happened, who is in the way and what to do.

// "alice@etl1, pid 4711 (spark), since 2023-05-01T03:00:12Z".
std::string describe(const Contender& contender);
// A ticket as listings show it, without who it waits for.
Contender contender_of(const StandingTicket& standing);

Error timeout_error(const LockSet& members, Milliseconds waited, const WaitStatus& seen);
Error deadlock_error(const std::vector<StandingTicket>& cycle);
// The waiter was started by the very process that holds the lock.
Error ancestor_error(const Contender& holder);
// The deadline came before the coordinator had said how the request stands.
Error no_answer_error(const std::string& url, Milliseconds waited);

}  // namespace locker::runtime
