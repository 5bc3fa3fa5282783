#include "runtime/process_info.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace locker::runtime {
namespace {

// What /proc/<pid>/stat tells of a process.
struct ProcessStat {
  char state = '?';
  std::int64_t parent = 0;
  std::int64_t start_ticks = 0;
};

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The command's name stands in parentheses and may hold spaces and parentheses itself, so the
// fields are counted from the last closing one.
std::optional<ProcessStat> stat_of(std::int64_t pid) {
  const std::string line = first_line_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t close = line.rfind(')');
  if (close == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(close + 1));
  ProcessStat result;
  fields >> result.state >> result.parent;
  // The state is field 3 and the parent field 4; the start time is field 22.
  std::string skipped;
  for (int field = 5; field < 22; ++field) fields >> skipped;
  fields >> result.start_ticks;
  if (!fields) return std::nullopt;
  return result;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

std::string user_name() {
  const uid_t user = ::geteuid();
  std::vector<char> buffer(16384);
  passwd entry{};
  passwd* found = nullptr;
  const int failed = ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
  if (failed != 0 || found == nullptr) return std::to_string(user);
  return found->pw_name;
}

}  // namespace

std::string boot_id() {
  return first_line_of("/proc/sys/kernel/random/boot_id");
}

OwnerInfo describe_self(std::string_view application) {
  OwnerInfo self;
  self.host = host_name();
  self.pid = ::getpid();
  const std::optional<ProcessStat> stat = stat_of(self.pid);
  if (stat) self.pid_start = stat->start_ticks;
  self.boot = boot_id();
  self.user = user_name();
  self.application = application;
  self.command = first_line_of("/proc/self/comm");
  return self;
}

bool process_alive(const OwnerInfo& info) {
  if (info.pid <= 0 || info.boot != boot_id()) return false;
  const std::optional<ProcessStat> stat = stat_of(info.pid);
  if (!stat || stat->start_ticks != info.pid_start) return false;
  return stat->state != 'Z' && stat->state != 'X';
}

bool is_ancestor_of_us(const OwnerInfo& info) {
  if (info.pid <= 0 || info.boot != boot_id()) return false;
  std::optional<ProcessStat> current = stat_of(::getpid());
  while (current && current->parent > 0) {
    const std::int64_t pid = current->parent;
    current = stat_of(pid);
    if (current && pid == info.pid) return current->start_ticks == info.pid_start;
  }
  return false;
}

}  // namespace locker::runtime
