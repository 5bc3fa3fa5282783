#pragma once

#include <cstdint>

#include <time.h>

namespace locker::system_test {

// Nanoseconds since this host booted: one clock for all processes of a test.
inline std::int64_t boot_time_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace locker::system_test
