#include "core/time_text.h"

#include "tests/support/test.h"

using locker::core::read_utc_text;
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

TEST_CASE("what was written is read again") {
  const auto time = sys_days(year(2023) / 5 / 1) + hours(8) + minutes(3) + seconds(9) + 7ms;
  CHECK(read_utc_text(utc_text(time)) == time);
  CHECK(read_utc_text("2023-05-01T08:03:09Z") == time - 7ms);
  CHECK(read_utc_text("2023-05-01T10:03:09.007+02:00") == time);
  CHECK(read_utc_text("2023-05-01T07:33:09.0070000-00:30") == time);
  CHECK(read_utc_text("1678-01-01T00:00:00+23:59").has_value());
  CHECK(read_utc_text("2261-12-31T23:59:59.999999999-23:59").has_value());
}

TEST_CASE("what is no time is not read") {
  for (const char* text :
       {"", "2023", "2023-05-01", "2023-05-01T08:03:09", "2023-02-30T00:00:00Z",
        "2023-13-01T00:00:00Z", "2023-05-01T24:00:00Z", "2023-05-01T08:60:09Z",
        "2023-05-01T08:03:09.Z", "2023-05-01T08:03:09.0123456789Z", "2023-05-01T08:03:09Z ",
        "2023-05-01T08:03:09+2:00", "9999-05-01T08:03:09Z", "1600-05-01T08:03:09Z",
        "-023-05-01T08:03:09Z", "2023-05-01T08:03:0"}) {
    INFO(text);
    CHECK_FALSE(read_utc_text(text).has_value());
  }
}
