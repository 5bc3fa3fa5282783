#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "cli/settings.h"
#include "cli/voice.h"

namespace locker::cli {

struct CommandSpec;

// One call of one command: everything that its function is given.
struct Call {
  const CommandSpec& command;
  const ParsedOptions& options;
  const Settings& settings;
  Voice& voice;
};

// What a command is called, takes and does. A command is a row of command_table(), made in its own
// file under commands/.
struct CommandSpec {
  std::string_view name;     // "run", "table register"
  std::string_view usage;    // what follows the name, e.g. "[options] DB.TABLE [COL=VALUE…]"
  std::string_view summary;  // half a sentence
  std::string_view details;  // further sentences for --help; may be empty
  std::span<const OptionSpec> options;         // its own options
  std::span<const std::string_view> settings;  // keys of the settings whose flags it takes
  // Whether the words from the first one that is no option on are somebody else's, as for `run`.
  bool stops_at_first_word;
  int (*run)(Call& call);
  std::string_view example = {};  // a call, for --help; may be empty
  // How many words that are no options it takes at most.
  std::size_t most_words = std::numeric_limits<std::size_t>::max();
};

// Whether a command's work is done in a store.
bool opens_store(const CommandSpec& command);

// Every command that the help lists, in its order.
std::span<const CommandSpec* const> command_table();

extern const CommandSpec run_command;
extern const CommandSpec try_command;
extern const CommandSpec wait_command;
extern const CommandSpec ls_command;
extern const CommandSpec who_command;
extern const CommandSpec explain_command;
extern const CommandSpec break_command;
extern const CommandSpec doctor_command;
extern const CommandSpec precreate_command;
extern const CommandSpec table_register_command;
extern const CommandSpec table_unregister_command;
extern const CommandSpec table_show_command;
extern const CommandSpec config_show_command;
extern const CommandSpec verify_command;
extern const CommandSpec backends_command;
extern const CommandSpec completion_command;

}  // namespace locker::cli
