#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "cli/run/descriptor.h"
#include "cli/run/keeper_link.h"
#include "cli/run/shared_lease.h"
#include "cli/run/signals.h"
#include "cli/run/terminal.h"

namespace locker::cli {

// The keeper stands between locker and the command: it starts the command, adopts what falls away
// from it, and ends all of it when locker dies, holding the session's liveness descriptor until the
// last process below it is gone. So a killed locker leaves no worker beside the next holder.
// Where the lock stands on a lease, the keeper alone watches it: TERM when the time to stop has
// come, KILL at its end, and KILL at once where it wakes up too late for the first. So a locker
// that is stopped leaves no worker either.
struct KeeperProcess {
  pid_t process = -1;
  Descriptor link;  // locker's end
  std::shared_ptr<SharedLease> lease;
};

// Forks the keeper. For a process without threads. A process of -1: it could not be made.
KeeperProcess fork_keeper(const std::vector<std::string>& command,
                          const InheritedSignals& inherited, const Terminal& terminal);

}  // namespace locker::cli
