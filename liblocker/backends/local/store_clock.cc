#include "backends/local/store_clock.h"

#include <poll.h>

#include <algorithm>
#include <ctime>

namespace locker::backends::local {

StoreTime store_now() {
  return std::chrono::steady_clock::now();
}

StoreTime after(std::chrono::milliseconds patience) {
  using std::chrono::milliseconds;
  const StoreTime now = store_now();
  // Compared in the coarser unit: an endless patience does not fit into nanoseconds.
  const auto until_the_end = std::chrono::duration_cast<milliseconds>(StoreTime::max() - now);
  return patience >= until_the_end ? StoreTime::max() : now + patience;
}

void pause_before_try(int tries) {
  constexpr int step_us = 50;
  constexpr int slowest_us = 5000;
  const timespec pause{0, 1000L * std::min(step_us * (tries + 1), slowest_us)};
  ::ppoll(nullptr, 0, &pause, nullptr);
}

}  // namespace locker::backends::local
