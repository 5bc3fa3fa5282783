#include "cli/day_format.h"

#include "tests/support/test.h"

using locker::cli::days_from_today;
using locker::cli::format_day;

namespace {

constexpr std::chrono::year_month_day day{std::chrono::year(2023), std::chrono::month(5),
                                          std::chrono::day(1)};

}  // namespace

TEST_CASE("day format: parts stand where the pattern says") {
  CHECK(format_day("yyyyMMdd", day).value() == "20230501");
  CHECK(format_day("yyyy-MM-dd", day).value() == "2023-05-01");
  CHECK(format_day("dd.MM.yyyy", day).value() == "01.05.2023");
}

TEST_CASE("day format: a pattern that does not name a day once is refused") {
  for (const char* pattern : {"", "yyyyMM", "yyyyMMddHH", "yyMMdd", "yyyyMMdddd", "1yyyyMMdd"}) {
    INFO(pattern);
    CHECK_FALSE(format_day(pattern, day).has_value());
  }
}

TEST_CASE("day format: days follow each other over the end of a year") {
  const auto days = days_from_today("yyyyMMdd", 400, "UTC");
  REQUIRE(days.has_value());
  const std::vector<std::string>& names = days->names;
  REQUIRE(names.size() == 400);
  for (std::size_t index = 1; index < names.size(); ++index) {
    CHECK(names[index - 1] < names[index]);
  }
  // The end is the next day's beginning.
  const auto left = days->end - std::chrono::system_clock::now();
  CHECK(left > std::chrono::hours(24 * 399));
  CHECK(left <= std::chrono::hours(24 * 400));
  CHECK_FALSE(days_from_today("yyyyMMdd", 1, "Nowhere/Atall").has_value());
}
