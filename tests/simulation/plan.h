#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <locker/partition_locker.h>

#include "faults.h"
#include "random.h"
#include "schedule.h"

namespace locker::simulation {

// One thing that a task does.
struct Action {
  enum class Kind { lock, release, downgrade, hold };

  Kind kind = Kind::hold;
  LockSet members;                                    // lock
  std::chrono::milliseconds timeout = wait_for_ever;  // lock; zero tries
  Time cancel_after = -1;                             // lock; -1: never
  Time length = 0;                                    // hold
};

// What one owner does, one thing after another. It lets go of everything at its end, and at once
// when it is told of a deadlock.
struct Task {
  int owner = 0;           // two tasks of one number are one owner
  bool inherited = false;  // the owner came from another process
  std::vector<Action> actions;
};

struct ClientPlan {
  std::vector<Task> tasks;
};

// What all clients of one run are going to do.
struct Plan {
  std::string scenario;
  std::vector<ClientPlan> clients;
};

// The names of all scenarios.
const std::vector<std::string>& scenarios();
Plan make_plan(const std::string& scenario, Random& random, const Faults& faults);

}  // namespace locker::simulation
