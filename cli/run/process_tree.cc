#include "cli/run/process_tree.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/prctl.h>

namespace locker::cli {

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

void kill_children(pid_t group, pid_t spared) {
  if (group > 0) ::kill(-group, SIGKILL);
  for (const pid_t child : children()) {
    if (child != spared) ::kill(child, SIGKILL);
  }
}

}  // namespace locker::cli
