#pragma once

#include <memory>
#include <string>
#include <vector>

#include <locker/owner.h>

#include "runtime/clock.h"
#include "runtime/lifeline.h"
#include "runtime/lock_backend.h"

namespace locker::runtime {

// The verbs of a session, repeated until they are answered. A verb that is answered `unavailable`
// may have had its effect; each of these ends only when that is known, or with `lost` when the
// session is over, which takes every ticket with it.
using ClockPtr = std::shared_ptr<Clock>;

// Enqueues the request exactly once. Errors: lost, and whatever the coordinator refuses with.
awaitable<Result<Joined>> join_surely(ClockPtr clock, LifelinePtr line, RequestPtr request);

awaitable<Result<std::vector<StandingTicket>>> standing_surely(ClockPtr clock, LifelinePtr line,
                                                               std::vector<core::Place> places);
awaitable<Result<std::vector<core::Ticket>>> still_there_surely(ClockPtr clock, LifelinePtr line,
                                                                std::vector<core::Ticket> tickets);
awaitable<Result<std::vector<StandingTicket>>> tickets_of_surely(ClockPtr clock, LifelinePtr line,
                                                                 std::string owner_id,
                                                                 std::vector<core::Place> near);
// A heartbeat, so that what follows is known to be said by a living session.
awaitable<Result<void>> beat_surely(ClockPtr clock, LifelinePtr line);

// Takes the request's tickets away, however long it takes. Never fails but with `lost`.
awaitable<Result<void>> leave_surely(ClockPtr clock, LifelinePtr line, std::string request_id);
// Makes the request shared, likewise.
awaitable<Result<void>> lower_surely(ClockPtr clock, LifelinePtr line, std::string request_id);
// Gives the request to another owner. Errors: lost, and whatever the coordinator refuses with.
awaitable<Result<void>> reown_surely(ClockPtr clock, LifelinePtr line, std::string request_id,
                                     Owner owner);

// Waits between two tries of something, each time longer; ends early when the session is lost.
class Backoff {
 public:
  Backoff(ClockPtr clock, LifelinePtr line);
  awaitable<void> pause();

 private:
  static constexpr Milliseconds first_pause{10};
  static constexpr Milliseconds longest_pause{1000};

  ClockPtr clock_;
  LifelinePtr line_;
  EventPtr wake_;
  Milliseconds next_ = first_pause;
};

}  // namespace locker::runtime
