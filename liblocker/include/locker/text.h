#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include <locker/result.h>

// Text as users write and read it: the same rules for every program of this project.
namespace locker {

// Reads a duration: decimal seconds (`0.2`), or numbers with `ms`, `s`, `m`, `h`, `d`, as `1h30m`,
// or `inf`, which is milliseconds::max(). Error: invalid/bad_duration, with the grammar in the
// text.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// Writes a duration so that parse_duration reads it again, e.g. "1h30m", "200ms", "inf".
std::string format_duration(std::chrono::milliseconds duration);

// The candidate that somebody who wrote `word` most likely meant; empty if none is near.
std::string_view suggest(std::string_view word, std::span<const std::string_view> candidates);

// Makes text from somebody else fit for a terminal or a line of a log: control characters, bytes
// that are no UTF-8 and characters that steer a terminal become visible. Not to be read back.
std::string visible(std::string_view text);

}  // namespace locker
