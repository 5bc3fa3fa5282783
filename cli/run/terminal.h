#pragma once

#include <sys/types.h>

#include "cli/run/descriptor.h"

namespace locker::cli {

// The controlling terminal, if there is one: who of its session's process groups reads and writes.
class Terminal {
 public:
  // Opens it; closed where there is none.
  Terminal();

  bool there() const { return device_.open(); }
  // Whether this process's group has the terminal now.
  bool ours() const;
  pid_t holder() const;
  // Gives the terminal to a group of this session. Async-signal-safe.
  void give_to(pid_t group) const;

 private:
  Descriptor device_;
};

// Whether a shell with job control stands behind this process: who else would continue it?
bool has_job_control();

}  // namespace locker::cli
