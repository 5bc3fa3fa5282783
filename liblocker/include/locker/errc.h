#pragma once

#include <span>
#include <string_view>

namespace locker {

// What went wrong, by what the caller does next. The finer word is Error::code.
// One table (errc_table) gives every class its name, HTTP status and exit code.
enum class Errc {
  invalid,       // fix the input
  timeout,       // a lock wait ended ungranted, a try included: try later
  conflict,      // a living other did something else first
  deadlock,      // let go of what you hold, then start again
  lost,          // a session or lock that ended: stop writing
  aborted,       // a verb on a transaction that is not alive
  fenced,        // an old token
  mismatch,      // another layout or format version
  refused,       // an observer said no
  cancelled,     // the caller left
  unauthorized,  // rights are missing
  not_found,     // there is no such thing
  gone,          // older than what is kept: ask for something newer
  too_large,     // over a documented limit
  rate_limited,  // too many at once: slow down
  unsupported,   // this backend does not promise that
  unavailable,   // retry with back-off; the text says whether the outcome is unknown
  config,        // a setting is wrong
  internal,      // a bug of this library: report it
};

// A row of the error table. `http` is 0 and `exit` is -1 where the class has none of its own.
struct ErrcRow {
  Errc errc;
  std::string_view name;  // as printed in JSON and logs, e.g. "timeout"
  std::string_view next;  // what the caller does next, half a sentence
  int http;
  int exit;
};

// All rows, in the order of the enumeration.
std::span<const ErrcRow> errc_table();

// The row of one class. Total: every Errc has one.
const ErrcRow& row_of(Errc errc);

// The class's name, e.g. "deadlock".
std::string_view name_of(Errc errc);

// The process exit code for a class and its finer code: `invalid` is 64 for usage and 65 for the
// codes that name bad data (`bad_spec`, `unknown_column`, `duplicate_key`, `key_too_long`).
int exit_code_of(Errc errc, std::string_view code);

}  // namespace locker
