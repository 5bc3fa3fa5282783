#pragma once

#include <chrono>
#include <memory>

#include "runtime/event.h"

namespace locker::runtime {

using Milliseconds = std::chrono::milliseconds;

// Time since an arbitrary start, in milliseconds. Two clocks count it: the steady one (deadlines of
// waits) and the boot-time one, which goes on while the machine sleeps (leases). Neither is the
// wall clock, which people and NTP set.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Milliseconds>;
struct BootClockTag {
  using duration = Milliseconds;
  using rep = duration::rep;
  using period = duration::period;
};
using BootTime = std::chrono::time_point<BootClockTag, Milliseconds>;

// The end of a wait. A time-out becomes one once, at the edge.
struct Deadline {
  SteadyTime at = SteadyTime::max();

  bool never() const { return at == SteadyTime::max(); }
  friend auto operator<=>(const Deadline&, const Deadline&) = default;
};

// A wake-up that is due; dropping it forgets it.
using Alarm = std::shared_ptr<void>;

// The only caller of the system's clocks; the simulation has its own. Used on the runtime's thread.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual SteadyTime now() const = 0;
  virtual BootTime boot_now() const = 0;
  // Wall-clock time, for people to read and for nothing else.
  virtual std::chrono::system_clock::time_point wall_now() const = 0;
  // Sets `event` at `deadline`, while the alarm is kept and the event is there. Null for a deadline
  // that is never.
  [[nodiscard]] virtual Alarm wake_at(Deadline deadline, const EventPtr& event) = 0;
  virtual EventPtr make_event() = 0;

  Deadline after(Milliseconds wait) const {
    const SteadyTime start = now();
    return wait >= SteadyTime::max() - start ? Deadline{} : Deadline{start + wait};
  }
};

}  // namespace locker::runtime
