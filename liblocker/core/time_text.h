#pragma once

#include <chrono>
#include <string>

namespace locker::core {

// A time in UTC as RFC 3339 has it, with milliseconds: "2023-05-01T08:30:00.000Z". Times outside
// the years 0001–9999 are written as the nearest time within.
std::string utc_text(std::chrono::system_clock::time_point time);

}  // namespace locker::core
