#include "runtime/system_clock.h"

#include <ctime>
#include <memory>

#include <boost/asio/steady_timer.hpp>

namespace locker::runtime {

SteadyTime SystemClock::now() const {
  return std::chrono::floor<Milliseconds>(std::chrono::steady_clock::now());
}

BootTime SystemClock::boot_now() const {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return BootTime(std::chrono::floor<Milliseconds>(std::chrono::seconds(time.tv_sec) +
                                                   std::chrono::nanoseconds(time.tv_nsec)));
}

std::chrono::system_clock::time_point SystemClock::wall_now() const {
  return std::chrono::system_clock::now();
}

Alarm SystemClock::wake_at(Deadline deadline, const EventPtr& event) {
  if (deadline.never()) return nullptr;
  auto timer = std::make_shared<boost::asio::steady_timer>(executor_, deadline.at);
  auto ring = [listener = std::weak_ptr<Event>(event)](boost::system::error_code cancelled) {
    if (cancelled) return;
    if (const EventPtr waiting = listener.lock()) waiting->set();
  };
  timer->async_wait(ring);
  return timer;
}

}  // namespace locker::runtime
