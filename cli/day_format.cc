#include "cli/day_format.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <locker/text.h>

namespace locker::cli {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

Error usage(std::string message) {
  return make_error(Errc::invalid, "usage", std::move(message));
}

std::string digits(int number, int width) {
  char text[16];
  std::snprintf(text, sizeof text, "%0*d", width, number);
  return text;
}

// A name without a way out of the database's folder, which has a zone's file for it: what else lies
// there, as folders and tables, libc would silently read as UTC.
bool zone_exists(const std::string& zone) {
  if (zone.find("..") != std::string::npos || zone.front() == '/' || zone.front() == ':')
    return false;
  const std::string path = "/usr/share/zoneinfo/" + zone;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return zone == "UTC";
  char mark[4] = {};
  std::ifstream(path, std::ios::binary).read(mark, sizeof mark);
  return std::string_view(mark, sizeof mark) == "TZif";
}

Result<year_month_day> today_in(const std::string& zone) {
  if (!zone.empty()) {
    if (!zone_exists(zone)) {
      return usage("--tz: there is no time zone \"" + visible(zone) + "\" here, as Asia/Shanghai");
    }
    ::setenv("TZ", zone.c_str(), 1);
    ::tzset();
  }
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  return year_month_day(std::chrono::year(parts.tm_year + 1900),
                        std::chrono::month(static_cast<unsigned>(parts.tm_mon + 1)),
                        std::chrono::day(static_cast<unsigned>(parts.tm_mday)));
}

// In the zone that today_in went by.
std::chrono::system_clock::time_point midnight_before(year_month_day day) {
  std::tm parts{};
  parts.tm_year = static_cast<int>(day.year()) - 1900;
  parts.tm_mon = static_cast<int>(static_cast<unsigned>(day.month())) - 1;
  parts.tm_mday = static_cast<int>(static_cast<unsigned>(day.day()));
  parts.tm_isdst = -1;
  return std::chrono::system_clock::from_time_t(::mktime(&parts));
}

}  // namespace

Result<std::string> format_day(std::string_view pattern, year_month_day day) {
  struct Part {
    std::string_view letters;
    std::string text;
    bool used;
  };
  Part parts[] = {{"yyyy", digits(static_cast<int>(day.year()), 4), false},
                  {"MM", digits(static_cast<int>(static_cast<unsigned>(day.month())), 2), false},
                  {"dd", digits(static_cast<int>(static_cast<unsigned>(day.day())), 2), false}};
  const Error wrong = usage("--format: \"" + visible(pattern) +
                            "\" is no pattern with yyyy, MM and dd, each once, as yyyy-MM-dd");
  std::string text;
  while (!pattern.empty()) {
    Part* next = nullptr;
    for (Part& part : parts) {
      if (pattern.starts_with(part.letters)) next = &part;
    }
    if (next == nullptr) {
      if (std::isalnum(static_cast<unsigned char>(pattern.front())) != 0) return wrong;
      text.push_back(pattern.front());
      pattern.remove_prefix(1);
      continue;
    }
    if (next->used) return wrong;
    next->used = true;
    text += next->text;
    pattern.remove_prefix(next->letters.size());
  }
  for (const Part& part : parts) {
    if (!part.used) return wrong;
  }
  return text;
}

Result<Days> days_from_today(std::string_view pattern, int count, const std::string& zone) {
  const Result<year_month_day> today = today_in(zone);
  if (!today) return today.error();
  Days all;
  for (int ahead = 0; ahead < count; ++ahead) {
    Result<std::string> day = format_day(pattern, year_month_day(sys_days(*today) + days(ahead)));
    if (!day) return std::move(day).error();
    all.names.push_back(std::move(*day));
  }
  all.end = midnight_before(year_month_day(sys_days(*today) + days(count)));
  return all;
}

}  // namespace locker::cli
