#pragma once

#include <string>

#include <sys/types.h>

#include "cli/run/descriptor.h"

namespace locker::cli {

// A shell command of the user's that is told of an event by JSON on its stdin. Its stdout goes to
// stderr, since locker's stdout is the wrapped command's. It has 30 s, then it is killed.
class Hook {
 public:
  Hook() = default;
  // Starts it; an empty command starts nothing.
  Hook(const std::string& command, const std::string& json);
  Hook(Hook&&) noexcept = default;
  Hook& operator=(Hook&&) noexcept = default;
  ~Hook() { wait(); }

  // Waits until it has ended or its time is over.
  void wait();

 private:
  Descriptor process_;  // a pidfd
};

}  // namespace locker::cli
