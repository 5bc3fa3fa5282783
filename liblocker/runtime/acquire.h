#pragma once

#include "runtime/engine.h"

namespace locker::runtime {

// The recipe, for every backend: enqueue all members at once, look at who stands before them, and
// wait until nobody does.
//
//   connect ─▶ join ─▶ look ─▶ granted
//                        ├─▶ deadlock, and leave
//                        └─▶ watch the youngest ahead ─▶ look again at those ahead and at oneself
//                        ─┐
//                              ▲ │
//                              └───────────────────────────────────────────────────────────────────┘
//
// What makes it simple: the set of older conflicting tickets is complete at the first look after
// one's own join, and only ever shrinks. So nothing is listed twice, and a stale answer is merely
// pessimistic.
// Works on the attempt until it is answered and nothing of it is left behind but a grant.
awaitable<void> acquire(EnginePtr engine, AttemptPtr attempt);

// Whom a request for these members would wait for now, oldest first. Writes nothing.
awaitable<Result<std::vector<StandingTicket>>> look_ahead(EnginePtr engine, LockSet members,
                                                          Owner owner);
// Waits until nobody would be ahead of the attempt's members; holds nothing.
awaitable<Result<void>> wait_until_free(EnginePtr engine, AttemptPtr attempt);

}  // namespace locker::runtime
