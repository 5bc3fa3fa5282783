#pragma once

#include <span>
#include <string_view>

#include <locker/result.h>

namespace locker::cli {

// Why the command ends as it does.
inline constexpr int exit_done = 0;
inline constexpr int exit_no = 1;
inline constexpr int exit_usage = 64;
inline constexpr int exit_not_found = 66;
inline constexpr int exit_no_output = 74;
inline constexpr int exit_not_obtained = 75;
inline constexpr int exit_deadlock = 76;
inline constexpr int exit_config = 78;
inline constexpr int exit_lost = 80;
inline constexpr int exit_cannot_execute = 126;
inline constexpr int exit_no_such_command = 127;
inline constexpr int exit_signal_base = 128;

// A row of the one table of exit codes, from which the help, the man page and the docs are made.
struct ExitCodeRow {
  std::string_view code;     // "75", "128+n"
  std::string_view name;     // a word
  std::string_view meaning;  // half a sentence
  // The commands that can end so, between bars: "|run|wait|". "all" is every command, "store" all
  // that open a store.
  std::string_view commands;
};

std::span<const ExitCodeRow> exit_code_table();

// The exit code of an error, with `not_obtained` in the place of 75 for a lock that was not
// granted.
int exit_code_of_error(const Error& error, int not_obtained = exit_not_obtained);

}  // namespace locker::cli
