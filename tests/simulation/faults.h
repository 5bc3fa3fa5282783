#pragma once

#include "random.h"
#include "schedule.h"
#include "tally.h"

namespace locker::simulation {

// How bad one run's world is. Each run draws its own, so that some see one kind of fault alone and
// some see everything at once; a run of every fault at its worst never gets anywhere.
struct Faults {
  Time timeout = 0;             // the session time-out T
  Time latency = 0;             // of a usual message
  Time ping_gap = 0;            // the longest time between two of a replica's reports to the leader
  double slow_message = 0;      // a message that takes up to a second
  double stuck_message = 0;     // one that takes up to 1.2 T
  double slow_apply = 0;        // a replica that applies a step late
  double lost_before = 0;       // a verb that has no effect and no answer
  double lost_after = 0;        // a verb that has its effect and no answer
  double broken_link = 0;       // a connection that breaks when a verb is sent
  double dies_after_write = 0;  // a replica that dies having answered a write
  double pause_at_step = 0;     // a machine that stops when something reaches it
  double late_watch = 0;        // a watch that fires up to T late
  double odd_watch = 0;         // a watch that fires for no reason, or again
  Time between_disasters = 0;   // mean time between cuts, crashes, long pauses, breaks; 0: none

  static Faults draw(Random& random);
  // A healthy world with the same time-out.
  Faults healed() const;

  Time message(Random& random) const;
};

}  // namespace locker::simulation
