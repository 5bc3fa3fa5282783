#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace locker::cli {

// An option as the help shows it, whether it is a command's own or a setting's.
struct OptionText {
  std::string flags;       // "-w, --timeout"
  std::string value_name;  // empty: none
  std::string help;
  std::vector<std::string> choices;
};

// Every option of a command: its own, then its settings', then --help.
std::vector<OptionText> options_of(const CommandSpec& command);

// `locker --help`.
std::string help_text();
// `locker GROUP --help`, as for "table".
std::string group_help_text(std::string_view group);
// `locker COMMAND --help`.
std::string command_help_text(const CommandSpec& command);

// Everything that help, the man page and the docs say, as one JSON object: "version", "commands"
// (name, usage, summary, details, options,
// exit_codes), "settings", "environment", "exit_codes".
std::string reference_json();

// The words of a flag list: "-w,--timeout" gives "-w" and "--timeout".
std::vector<std::string> flag_words(std::string_view flags);

}  // namespace locker::cli
