#include "core/duration.h"

#include <array>
#include <cstdint>
#include <optional>

#include "core/visible_text.h"

namespace locker::core {
namespace {

using std::chrono::milliseconds;

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};

// From great to small.
constexpr std::array units = std::to_array<Unit>({
    {"d", 86'400'000},
    {"h", 3'600'000},
    {"m", 60'000},
    {"s", 1'000},
    {"ms", 1},
});

constexpr std::int64_t limit_ms = longest_duration.count();

Error bad_duration(std::string_view text, std::string_view why) {
  return make_error(Errc::invalid, "bad_duration",
                    "'" + visible_text(text) + "' is no duration: " + std::string(why) +
                        "; write seconds (0.2), numbers with units (1h30m, 200ms) or inf.");
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// Cuts the digits off the front of a text.
std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

// Cuts the letters off the front of a text.
std::string_view take_letters(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= 'a' && text[count] <= 'z') ++count;
  const std::string_view letters = text.substr(0, count);
  text.remove_prefix(count);
  return letters;
}

struct Number {
  std::string_view whole;
  std::string_view fraction;
};

// `digits[.digits]`.
std::optional<Number> take_number(std::string_view& text) {
  Number number{take_digits(text), {}};
  if (number.whole.empty()) return std::nullopt;
  if (!text.starts_with('.')) return number;
  text.remove_prefix(1);
  number.fraction = take_digits(text);
  if (number.fraction.empty()) return std::nullopt;
  return number;
}

// A number of units in milliseconds, rounded up; nothing where it is over the limit.
std::optional<std::int64_t> in_milliseconds(const Number& number, const Unit& unit) {
  std::int64_t whole = 0;
  for (const char digit : number.whole) {
    whole = whole * 10 + (digit - '0');
    if (whole > limit_ms) return std::nullopt;
  }
  if (whole > limit_ms / unit.milliseconds) return std::nullopt;
  // Digit by digit from the last, each keeping whether anything was below it, so that nothing is
  // lost: ((d3 · unit) / 10 + d2 · unit) / 10 + …
  std::int64_t part = 0;
  bool more = false;
  for (auto digit = number.fraction.rbegin(); digit != number.fraction.rend(); ++digit) {
    const std::int64_t sum = part + (*digit - '0') * unit.milliseconds;
    more = more || sum % 10 != 0;
    part = sum / 10;
  }
  return whole * unit.milliseconds + part + (more ? 1 : 0);
}

constexpr std::string_view too_long = "it is over 36500 days";

}  // namespace

Result<milliseconds> parse_duration(std::string_view text) {
  if (text.empty()) return bad_duration(text, "it is empty");
  if (text == "inf") return milliseconds::max();
  if (text.starts_with('-')) return bad_duration(text, "it is negative");

  std::string_view rest = text;
  std::int64_t total = 0;
  std::size_t next_unit = 0;
  while (!rest.empty()) {
    const bool first = rest.size() == text.size();
    const std::optional<Number> number = take_number(rest);
    if (!number) return bad_duration(text, "a number is missing");
    const bool bare = first && rest.empty();
    if (rest.empty() && !bare) return bad_duration(text, "its last number has no unit");
    const std::string_view name = bare ? "s" : take_letters(rest);
    std::size_t index = 0;
    while (index < units.size() && units[index].name != name) ++index;
    if (index == units.size()) return bad_duration(text, "the units are d h m s ms");
    if (index < next_unit) return bad_duration(text, "its units do not go from great to small");
    next_unit = index + 1;
    const std::optional<std::int64_t> part = in_milliseconds(*number, units[index]);
    if (!part || *part > limit_ms - total) return bad_duration(text, too_long);
    total += *part;
  }
  return milliseconds(total);
}

std::string format_duration(milliseconds duration) {
  if (duration == milliseconds::max()) return "inf";
  if (duration == milliseconds::zero()) return "0s";
  const bool negative = duration < milliseconds::zero();
  // Counted without a sign, since the least number has no positive counterpart.
  auto left = static_cast<std::uint64_t>(duration.count());
  if (negative) left = 0 - left;
  std::string out = negative ? "-" : "";
  for (const Unit& unit : units) {
    const auto size = static_cast<std::uint64_t>(unit.milliseconds);
    if (left >= size) out += std::to_string(left / size) + std::string(unit.name);
    left %= size;
  }
  return out;
}

}  // namespace locker::core
