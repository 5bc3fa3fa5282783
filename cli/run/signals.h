#pragma once

#include <csignal>
#include <initializer_list>
#include <string>

#include "cli/run/descriptor.h"

namespace locker::cli {

// How signals stood when locker was started. Taken before anything changes them; the command gets
// them back.
class InheritedSignals {
 public:
  InheritedSignals();

  // Puts the mask and the dispositions that locker changes back. Async-signal-safe.
  void restore() const;
  // Whether whoever started locker had the signal ignored, as nohup does with HUP.
  bool ignored(int signal) const;

 private:
  sigset_t mask_{};
  struct sigaction pipe_ {};
  struct sigaction child_ {};
};

// The signals that are passed on to the command, without those that are ignored by inheritance.
sigset_t passed_signals(const InheritedSignals& inherited);

sigset_t signal_set(std::initializer_list<int> signals);

// A descriptor that tells the blocked signals of a set.
Descriptor signal_descriptor(const sigset_t& set);
// Blocks further signals for this thread and those it starts.
void block_signals(const sigset_t& set);

// The next signal of such a descriptor; 0 if there is none.
int next_signal(const Descriptor& descriptor);

// "SIGTERM".
std::string signal_name(int signal);

}  // namespace locker::cli
