#include "core/time_text.h"

#include <algorithm>

namespace locker::core {
namespace {

void append_number(std::string& out, long long number, std::size_t width) {
  const std::string digits = std::to_string(number);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

}  // namespace

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
