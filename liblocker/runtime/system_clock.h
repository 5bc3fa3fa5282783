#pragma once

#include "runtime/clock.h"

namespace locker::runtime {

// The machine's clocks: CLOCK_MONOTONIC, CLOCK_BOOTTIME and the wall clock. A deadline is met up to
// the time that the machine slept too late, since timers stand still meanwhile; whoever must not
// believe too long asks boot_now.
class SystemClock : public Clock {
 public:
  explicit SystemClock(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  SteadyTime now() const override;
  BootTime boot_now() const override;
  std::chrono::system_clock::time_point wall_now() const override;
  [[nodiscard]] Alarm wake_at(Deadline deadline, const EventPtr& event) override;
  EventPtr make_event() override { return std::make_shared<Event>(executor_); }

 private:
  boost::asio::any_io_executor executor_;
};

}  // namespace locker::runtime
