#include "core/time_text.h"

#include "tests/support/test.h"

using locker::core::utc_text;
using namespace std::chrono;

TEST_CASE("times are UTC with milliseconds") {
  CHECK(utc_text(sys_days(year(1970) / 1 / 1)) == "1970-01-01T00:00:00.000Z");
  CHECK(utc_text(sys_days(year(2023) / 5 / 1) + hours(8) + minutes(3) + seconds(9) +
                 milliseconds(7)) == "2023-05-01T08:03:09.007Z");
  CHECK(utc_text(sys_days(year(2024) / 2 / 29) + milliseconds(86'399'999)) ==
        "2024-02-29T23:59:59.999Z");
  CHECK(utc_text(sys_days(year(1969) / 12 / 31) + hours(23)) == "1969-12-31T23:00:00.000Z");
}

TEST_CASE("the ends of the clock are written too") {
  CHECK(utc_text(system_clock::time_point::max()).size() == 24);
  CHECK(utc_text(system_clock::time_point::min()).size() == 24);
}
