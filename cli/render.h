#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <locker/listing.h>

namespace locker::cli {

// UTC, RFC 3339 with milliseconds: "2026-11-30T13:40:58.123Z".
std::string utc_text(std::chrono::system_clock::time_point time);
// The local zone, for people: "2026-11-30 14:40:58+01:00".
std::string local_text(std::chrono::system_clock::time_point time);

// A sentence of the library, whose times are UTC since it goes into JSON too, for people: what
// follows "since" or "at" in the local zone.
std::string with_local_times(std::string_view sentence);

// "etl@host, pid 4711 (nightly)", safe for a terminal: the application, else the command.
std::string owner_text(const OwnerInfo& owner);
// "exclusive lock on ods.t/dt=1 by etl@host, pid 4711 (nightly), since …", as the library's errors
// say it; safe for a terminal.
std::string contender_text(const Contender& contender);

// Rows under headings, columns padded. Every cell is made safe for a terminal.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}

  void add(std::vector<std::string> cells);
  // The whole table with a line end after each row; headings stand out where colour is wanted.
  std::string to_string() const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

// Whether stdout is a terminal that may be written to in colour (NO_COLOR forbids it).
bool colour_wanted();

// Writes all of it to stdout; false if that failed, which the first time is said on stderr.
bool print(std::string_view text);

}  // namespace locker::cli
