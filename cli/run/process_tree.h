#pragma once

#include <vector>

#include <sys/types.h>

namespace locker::cli {

// Becomes the process to which orphans below it fall: nobody below it can leave but by ending.
void adopt_orphans();

// The children of this process, as the kernel lists them now.
std::vector<pid_t> children();

// Sends KILL to the group (0: none) and to every child but `spared`. A child that dies leaves its
// own children to this process, if it adopts orphans: call it until nobody is left. Only children
// are ended by number, since nobody else's number is sure to be still theirs.
void kill_children(pid_t group, pid_t spared = 0);

}  // namespace locker::cli
