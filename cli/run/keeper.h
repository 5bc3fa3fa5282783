#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "cli/run/descriptor.h"
#include "cli/run/keeper_link.h"
#include "cli/run/signals.h"
#include "cli/run/terminal.h"

namespace locker::cli {

// The keeper stands between locker and the command: it starts the command, adopts what falls away
// from it, and ends all of it when locker dies, holding the session's liveness descriptor until the
// last process below it is gone. So a killed locker leaves no worker beside the next holder.
struct KeeperProcess {
  pid_t process = -1;
  Descriptor link;  // locker's end
};

// Forks the keeper. For a process without threads. A process of -1: it could not be made.
KeeperProcess fork_keeper(const std::vector<std::string>& command,
                          const InheritedSignals& inherited, const Terminal& terminal);

}  // namespace locker::cli
