#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <locker/partition_locker.h>

#include "cli/command.h"

namespace locker::cli {

// One `locker run`, read and checked.
struct RunPlan {
  LockSet members;
  std::vector<std::string> command;
  std::chrono::milliseconds timeout = default_timeout;
  Owner owner;
  std::string reason;
  bool once = false;
  int once_code = 0;  // of a run that is skipped
};

// Takes the lock, runs the command under it, lets go; the exit code. For a process without threads:
// the first thing that it does is to fork the keeper.
int run_locked(Call& call, RunPlan plan);

}  // namespace locker::cli
