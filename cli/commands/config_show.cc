#include <array>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/listing.h"
#include "cli/render.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array options{
    OptionSpec{"--origin", "", "say where each value comes from, and what else would set it"},
};
constexpr std::array<std::string_view, 13> settings{
    "url",        "timeout", "connect_timeout", "session_timeout", "conflict_exit_code",
    "owner",      "quiet",   "output",          "log_level",       "detach_children",
    "on_timeout", "on_lost", "metrics_file"};

std::string as_json(const SettingRow& row, const SettingValue& value) {
  return JsonObject()
      .text("setting", row.key)
      .text("value", value.text)
      .text("origin", origin_text(value))
      .text_or_null("flag", row.flags)
      .text_or_null("environment", row.environment)
      .text("key", row.key)
      .text("default", row.default_value)
      .text_or_null("unit", row.unit)
      .yes_no("reloadable", row.reloadable)
      .take();
}

int run(Call& call) {
  const bool origin = call.options.has("--origin");
  std::vector<std::string> headings{"SETTING", "VALUE"};
  if (origin) {
    headings.insert(headings.end(), {"ORIGIN", "FLAG", "ENVIRONMENT", "DEFAULT", "UNIT"});
  }
  Table table(std::move(headings));
  std::vector<std::string> items;
  for (const SettingRow& row : setting_table()) {
    const SettingValue& value = call.settings.value(row.key);
    items.push_back(as_json(row, value));
    std::string shown = value.text;
    if (row.key == "url" && shown == "local:") shown += " (" + default_store_directory() + ")";
    std::vector<std::string> cells{std::string(row.key), std::move(shown)};
    if (origin) {
      cells.insert(cells.end(),
                   {origin_text(value), std::string(row.flags), std::string(row.environment),
                    std::string(row.default_value), std::string(row.unit)});
    }
    table.add(std::move(cells));
  }
  if (wants_json(call.settings)) return print_json_items(call, items);
  return print(table.to_string()) ? exit_done : exit_no_output;
}

}  // namespace

extern const CommandSpec config_show_command{
    "config show",
    "[options]",
    "show every setting and where it comes from",
    "A flag counts before the environment, that before $XDG_CONFIG_HOME/locker/config.json, that "
    "before /etc/locker/config.json, that before the default.",
    options,
    settings,
    false,
    run,
    {},
    0};

}  // namespace locker::cli
