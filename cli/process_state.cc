#include "cli/process_state.h"

#include <fstream>
#include <sstream>
#include <string>

namespace locker::cli {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::string_view name_of(ProcessState state) {
  switch (state) {
    case ProcessState::running:
      return "running";
    case ProcessState::stopped:
      return "stopped";
    case ProcessState::zombie:
      return "zombie";
    case ProcessState::gone:
      return "gone";
    case ProcessState::elsewhere:
      break;
  }
  return "elsewhere";
}

ProcessState state_of(const OwnerInfo& owner) {
  if (owner.boot.empty() || owner.boot != first_line("/proc/sys/kernel/random/boot_id")) {
    return ProcessState::elsewhere;
  }
  const std::string status = first_line("/proc/" + std::to_string(owner.pid) + "/stat");
  // The name, in parentheses, may hold anything; what follows it is numbers.
  const std::size_t name_end = status.rfind(')');
  if (name_end == std::string::npos) return ProcessState::gone;
  std::istringstream fields(status.substr(name_end + 1));
  char state = '?';
  fields >> state;
  constexpr int fields_before_start = 18;
  std::string skipped;
  for (int field = 0; field < fields_before_start; ++field) fields >> skipped;
  std::int64_t start = 0;
  fields >> start;
  if (owner.pid_start != 0 && start != owner.pid_start) return ProcessState::gone;
  if (state == 'T' || state == 't') return ProcessState::stopped;
  if (state == 'Z' || state == 'X') return ProcessState::zombie;
  return ProcessState::running;
}

}  // namespace locker::cli
