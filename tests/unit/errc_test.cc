#include <locker/errc.h>

#include <set>
#include <string>

#include "tests/support/test.h"

using locker::Errc;

TEST_CASE("the error table has one row for each class, in order") {
  const auto table = locker::errc_table();
  REQUIRE(table.size() == static_cast<std::size_t>(Errc::internal) + 1);
  std::set<std::string_view> names;
  for (std::size_t index = 0; index < table.size(); ++index) {
    const locker::ErrcRow& row = table[index];
    CHECK(static_cast<std::size_t>(row.errc) == index);
    CHECK(&locker::row_of(row.errc) == &row);
    CHECK(locker::name_of(row.errc) == row.name);
    CHECK_FALSE(row.name.empty());
    CHECK_FALSE(row.next.empty());
    CHECK(names.insert(row.name).second);
    const bool http = row.http == 0 || (row.http >= 400 && row.http < 600);
    CHECK(http);
  }
}

TEST_CASE("the error table says what the documents say") {
  struct Expected {
    Errc errc;
    const char* name;
    int http;
    int exit;
  };
  const Expected rows[] = {
      {Errc::invalid, "invalid", 400, 64},
      {Errc::timeout, "timeout", 423, 75},
      {Errc::conflict, "conflict", 409, 75},
      {Errc::deadlock, "deadlock", 409, 76},
      {Errc::lost, "lost", 410, 80},
      {Errc::aborted, "aborted", 410, 80},
      {Errc::fenced, "fenced", 412, 80},
      {Errc::mismatch, "mismatch", 412, 78},
      {Errc::refused, "refused", 422, 75},
      {Errc::cancelled, "cancelled", 0, -1},
      {Errc::unauthorized, "unauthorized", 403, 77},
      {Errc::not_found, "not_found", 404, 66},
      {Errc::gone, "gone", 410, 66},
      {Errc::too_large, "too_large", 413, 65},
      {Errc::rate_limited, "rate_limited", 429, 75},
      {Errc::unsupported, "unsupported", 501, 69},
      {Errc::unavailable, "unavailable", 503, 69},
      {Errc::config, "config", 0, 78},
      {Errc::internal, "internal", 500, 70},
  };
  CHECK(std::size(rows) == locker::errc_table().size());
  for (const Expected& expected : rows) {
    const locker::ErrcRow& row = locker::row_of(expected.errc);
    CHECK(row.name == expected.name);
    CHECK(row.http == expected.http);
    CHECK(row.exit == expected.exit);
  }
}

TEST_CASE("bad data exits with 65, bad usage with 64") {
  CHECK(locker::exit_code_of(Errc::invalid, "invalid") == 64);
  CHECK(locker::exit_code_of(Errc::invalid, "bad_duration") == 64);
  CHECK(locker::exit_code_of(Errc::invalid, "bad_url") == 64);
  for (const char* code : {"bad_spec", "unknown_column", "duplicate_key", "key_too_long"}) {
    CHECK(locker::exit_code_of(Errc::invalid, code) == 65);
  }
  CHECK(locker::exit_code_of(Errc::timeout, "bad_spec") == 75);
  CHECK(locker::exit_code_of(Errc::cancelled, "cancelled") == 130);
  for (const locker::ErrcRow& row : locker::errc_table()) {
    const int exit = locker::exit_code_of(row.errc, row.name);
    CHECK(exit > 0);
    CHECK(exit < 256);
  }
}

TEST_CASE("a number that is no class is an internal error") {
  CHECK(locker::row_of(static_cast<Errc>(1000)).errc == Errc::internal);
}
