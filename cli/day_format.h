#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <locker/result.h>

namespace locker::cli {

// A day by a pattern in which `yyyy`, `MM` and `dd` stand for its parts and what is no letter
// stands for itself; each part once, so that days differ. Error: invalid/usage.
Result<std::string> format_day(std::string_view pattern, std::chrono::year_month_day day);

// Some days in a row.
struct Days {
  std::vector<std::string> names;
  std::chrono::system_clock::time_point end;  // of the last of them
};

// So many days by a pattern, the first of them today in a zone of the system's time zone database
// (empty: the local zone). For a process without other threads. Error: invalid/usage.
Result<Days> days_from_today(std::string_view pattern, int count, const std::string& zone);

}  // namespace locker::cli
