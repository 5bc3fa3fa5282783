#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <locker/result.h>

namespace locker::core {

// The longest duration that can be written, about a hundred years: far beyond any use, and far
// from where adding it to a clock's reading overflows. Longer is `inf`.
inline constexpr std::chrono::milliseconds longest_duration = std::chrono::hours(24 * 36500);

// Reads a duration: decimal seconds (`300`, `0.2`), numbers with the units d h m s ms from great to
// small (`1h30m`, `1.5h`, `200ms`), or `inf`, which is milliseconds::max(). What is finer than a
// millisecond is rounded up, so that only zero is zero. Error: invalid, with what to write.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// Writes a duration so that parse_duration reads it: "1h30m", "1s200ms", "0s", "inf". A negative
// one gets a minus sign, which parse_duration refuses.
std::string format_duration(std::chrono::milliseconds duration);

}  // namespace locker::core
