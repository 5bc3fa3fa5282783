#include "cli/command.h"

#include <algorithm>
#include <array>

namespace locker::cli {
namespace {

constexpr std::array table{
    &run_command,
    &try_command,
    &wait_command,
    &ls_command,
    &who_command,
    &explain_command,
    &break_command,
    &doctor_command,
    &precreate_command,
    &table_register_command,
    &table_unregister_command,
    &table_show_command,
    &config_show_command,
    &verify_command,
    &backends_command,
    &completion_command,
};

}  // namespace

bool opens_store(const CommandSpec& command) {
  return std::ranges::find(command.settings, "connect_timeout") != command.settings.end() &&
         &command != &config_show_command;
}

std::span<const CommandSpec* const> command_table() {
  return table;
}

}  // namespace locker::cli
