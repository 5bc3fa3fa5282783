#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace locker::core {

// A time in UTC as RFC 3339 has it, with milliseconds: "2023-05-01T08:30:00.000Z". Times outside
// the years 0001–9999 are written as the nearest time within.
std::string utc_text(std::chrono::system_clock::time_point time);

// Reads such a time; the fraction may be missing or have up to nine digits, and `Z` may be an
// offset like `+02:00`. Nothing where it is none, or is outside the years 1678–2261.
std::optional<std::chrono::system_clock::time_point> read_utc_text(std::string_view text);

}  // namespace locker::core
