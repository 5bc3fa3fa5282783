#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace locker::simulation {

// What runs met. A simulation that meets nothing tests nothing, so every number is printed and has
// to be above zero.
struct FaultCount {
  long steps = 0;
  long lost_before = 0;
  long lost_after = 0;
  long broken_links = 0;
  long replica_deaths = 0;
  long replica_stalls = 0;
  long pauses = 0;
  long cuts = 0;
  long breaks = 0;
  long removals = 0;
  long expiries = 0;
  long late_watches = 0;
  long odd_watches = 0;
  long wall_jumps = 0;
  long crashes = 0;
};

// What became of their requests.
struct Outcomes {
  long asked = 0;
  long granted = 0;
  long counted = 0;   // granted because the owner held it already
  long borrowed = 0;  // granted because its parent held it
  long waited = 0;    // granted after somebody else had been ahead
  long timeouts = 0;
  long cycles = 0;  // requests that closed a cycle
  long deadlocks = 0;
  long cancelled = 0;
  long lost = 0;
  long unavailable = 0;
  long refused = 0;      // an owner's second wait
  long lost_grants = 0;  // lost while they were held
  long downgrades = 0;
};

struct Tally {
  long runs = 0;
  FaultCount faults;
  Outcomes outcomes;

  void add(const FaultCount& faults_met, const Outcomes& outcomes_met);
  // Every number with its name.
  std::vector<std::pair<std::string_view, long>> rows() const;
};

}  // namespace locker::simulation
