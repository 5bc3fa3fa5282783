#include "core/time_text.h"

#include <algorithm>
#include <cstdint>

namespace locker::core {
namespace {

void append_number(std::string& out, long long number, std::size_t width) {
  const std::string digits = std::to_string(number);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

// Takes characters from the front of a text; a failure stays.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool right() const { return right_; }
  bool at_end() const { return text_.empty(); }

  int number(std::size_t width, int least, int greatest) {
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) value = value * 10 + digit();
    right_ = right_ && value >= least && value <= greatest;
    return value;
  }

  bool next_is(char wanted) const { return !text_.empty() && text_.front() == wanted; }

  void skip(std::string_view any_of) {
    right_ = right_ && !text_.empty() && any_of.find(text_.front()) != std::string_view::npos;
    if (right_) text_.remove_prefix(1);
  }

  // Up to nine digits after the point, as nanoseconds.
  std::int64_t fraction() {
    std::int64_t value = 0;
    std::int64_t unit = 100'000'000;
    const std::size_t before = text_.size();
    for (; unit > 0 && !text_.empty() && is_digit(text_.front()); unit /= 10) {
      value += unit * digit();
    }
    right_ = right_ && text_.size() < before;
    return value;
  }

 private:
  static bool is_digit(char character) { return character >= '0' && character <= '9'; }

  int digit() {
    right_ = right_ && !text_.empty() && is_digit(text_.front());
    if (!right_) return 0;
    const int value = text_.front() - '0';
    text_.remove_prefix(1);
    return value;
  }

  std::string_view text_;
  bool right_ = true;
};

// `Z`, or the time that a zone is ahead of it.
std::chrono::minutes read_offset(Scanner& scanner) {
  if (scanner.next_is('Z') || scanner.next_is('z')) {
    scanner.skip("Zz");
    return std::chrono::minutes(0);
  }
  const int sign = scanner.next_is('-') ? -1 : 1;
  scanner.skip("+-");
  const int hours = scanner.number(2, 0, 23);
  scanner.skip(":");
  return std::chrono::minutes(sign * (hours * 60 + scanner.number(2, 0, 59)));
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> read_utc_text(std::string_view text) {
  using namespace std::chrono;
  Scanner scanner(text);
  // What fits into 64 bits of nanoseconds, whatever the offset.
  const year in_year(scanner.number(4, 1678, 2261));
  scanner.skip("-");
  const month in_month(static_cast<unsigned>(scanner.number(2, 1, 12)));
  scanner.skip("-");
  const year_month_day date(in_year, in_month,
                            day(static_cast<unsigned>(scanner.number(2, 1, 31))));
  scanner.skip("Tt ");
  const hours hour(scanner.number(2, 0, 23));
  scanner.skip(":");
  const minutes minute(scanner.number(2, 0, 59));
  scanner.skip(":");
  const seconds second(scanner.number(2, 0, 59));
  nanoseconds fraction(0);
  if (scanner.next_is('.')) {
    scanner.skip(".");
    fraction = nanoseconds(scanner.fraction());
  }
  const minutes ahead = read_offset(scanner);
  if (!scanner.right() || !scanner.at_end() || !date.ok()) return std::nullopt;
  return sys_days(date) + hour + minute + second + fraction - ahead;
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  using Milliseconds = sys_time<milliseconds>;
  const Milliseconds first = sys_days(year(1) / January / 1);
  const Milliseconds last = sys_days(year(9999) / December / 31) + days(1) - milliseconds(1);
  const Milliseconds moment = std::clamp(floor<milliseconds>(time), first, last);
  const sys_days day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss clock(moment - day);

  std::string out;
  append_number(out, static_cast<int>(date.year()), 4);
  out += '-';
  append_number(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_number(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_number(out, clock.hours().count(), 2);
  out += ':';
  append_number(out, clock.minutes().count(), 2);
  out += ':';
  append_number(out, clock.seconds().count(), 2);
  out += '.';
  append_number(out, clock.subseconds().count(), 3);
  return out + 'Z';
}

}  // namespace locker::core
