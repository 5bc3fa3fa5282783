#include "core/duration.h"

#include <random>

#include "tests/support/test.h"

using namespace std::chrono_literals;
using locker::core::format_duration;
using locker::core::longest_duration;
using locker::core::parse_duration;
using std::chrono::milliseconds;

TEST_CASE("B05: durations mean exactly what they say") {
  struct Expected {
    const char* text;
    milliseconds duration;
  };
  const Expected rows[] = {
      {"0", 0ms},
      {"300", 300s},
      {"0.2", 200ms},
      {"0.0", 0ms},
      {"1.5", 1500ms},
      {"00012", 12s},
      {"1h30m", 90min},
      {"1.5h", 90min},
      {"200ms", 200ms},
      {"1d", 24h},
      {"1d2h3m4s5ms", 93'784'005ms},
      {"0s", 0ms},
      {"90m", 90min},
      {"36500d", longest_duration},
      {"0.0005", 1ms},
      {"0.0000000000000000000000001", 1ms},
      {"0.001", 1ms},
      {"0.0010", 1ms},
      {"0.1d", 8'640'000ms},
      {"0.33333333h", 1'200'000ms},
      {"1.9999", 2000ms},
      {"inf", milliseconds::max()},
  };
  for (const Expected& row : rows) {
    CAPTURE(row.text);
    const auto parsed = parse_duration(row.text);
    REQUIRE(parsed);
    CHECK(parsed->count() == row.duration.count());
  }
}

TEST_CASE("B05: what is no duration is refused with a hint") {
  for (const char* bad : {"",
                          "-1",
                          "abc",
                          "1e9h",
                          "1h30",
                          "30m1h",
                          "1h1h",
                          "1.",
                          ".5",
                          "1.h",
                          "1,5",
                          " 1",
                          "1 ",
                          "1 h",
                          "+1",
                          "1H",
                          "1w",
                          "0x10",
                          "--1",
                          "nan",
                          "infinity",
                          "INF",
                          "s",
                          "1hh",
                          "1m-2s",
                          "36501d",
                          "36500d1ms",
                          "3153600001",
                          "99999999999999999999999999999d",
                          "9223372036854775807",
                          "9223372036854775808ms",
                          "1\n",
                          "１"}) {
    CAPTURE(bad);
    const auto parsed = parse_duration(bad);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().errc == locker::Errc::invalid);
    CHECK(parsed.error().code == "bad_duration");
    CHECK(parsed.error().message.find("1h30m") != std::string::npos);
  }
}

TEST_CASE("durations are written for people") {
  CHECK(format_duration(0ms) == "0s");
  CHECK(format_duration(90min) == "1h30m");
  CHECK(format_duration(200ms) == "200ms");
  CHECK(format_duration(1200ms) == "1s200ms");
  CHECK(format_duration(24h) == "1d");
  CHECK(format_duration(milliseconds::max()) == "inf");
  CHECK(format_duration(-1500ms) == "-1s500ms");
  CHECK(format_duration(milliseconds::min()).starts_with("-106751991167d"));
}

TEST_CASE("what is written is read back") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 5000; ++round) {
    const auto bits = static_cast<std::int64_t>(random() >> (1U + random() % 63U));
    const milliseconds duration(bits % (longest_duration.count() + 1));
    const auto parsed = parse_duration(format_duration(duration));
    CAPTURE(duration.count());
    REQUIRE(parsed);
    CHECK(*parsed == duration);
  }
}
