#include "cli/reference.h"

#include <algorithm>

#include <locker/about.h>

#include "cli/exit_codes.h"
#include "cli/json_text.h"

namespace locker::cli {
namespace {

constexpr std::size_t help_columns = 96;

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

// Breaks a text into lines between words, each after the first indented.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t first_column) {
  std::string lines;
  std::size_t column = first_column;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool first_word = lines.empty() || column == indent;
    if (!first_word && column + 1 + word.size() > help_columns) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first_word) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

std::string two_columns(const std::string& left, std::string_view right, std::size_t width) {
  const std::size_t indent = width + 4;
  const bool fits = left.size() <= width;
  const std::string start =
      "  " + (fits ? padded(left, width + 2) : left + "\n" + std::string(indent, ' '));
  return start + wrapped(right, indent, indent) + "\n";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

OptionText text_of(const OptionSpec& option) {
  OptionText text{joined(flag_words(option.flags)),
                  std::string(option.value_name),
                  std::string(option.help),
                  {}};
  for (const std::string_view choice : option.choices) text.choices.emplace_back(choice);
  return text;
}

OptionText text_of(const SettingRow& row) {
  OptionText text{
      joined(flag_words(row.flags)), std::string(row.value_name), std::string(row.help), {}};
  if (row.kind != SettingKind::yes_no && !row.default_value.empty()) {
    text.help += " (default " + std::string(row.default_value) + ")";
  }
  if (row.value_name.empty()) return text;
  for (const std::string_view choice : choices_of(row.kind)) text.choices.emplace_back(choice);
  return text;
}

bool can_end_with(const CommandSpec& command, const ExitCodeRow& row) {
  if (row.commands == "all") return true;
  if (row.commands == "store") return opens_store(command);
  return row.commands.find("|" + std::string(command.name) + "|") != std::string_view::npos;
}

// A summary that asks ends as questions do.
std::string sentence(std::string_view text) {
  return std::string(text) + (text.ends_with('?') ? "" : ".");
}

// The exit codes of one command; null: all.
std::string exit_code_lines(const CommandSpec* command) {
  std::string text;
  for (const ExitCodeRow& row : exit_code_table()) {
    if (command != nullptr && !can_end_with(*command, row)) continue;
    text += two_columns(std::string(row.code), row.meaning, 6);
  }
  return text;
}

std::string setting_lines() {
  std::string text;
  for (const SettingRow& row : setting_table()) {
    const std::string flag = row.flags.empty() ? "-" : std::string(long_flag(row.flags));
    const std::string variable = row.environment.empty() ? "-" : std::string(row.environment);
    const std::string value = row.default_value.empty() ? "-" : std::string(row.default_value);
    text += "  " + padded(std::string(row.key), 20) + padded(flag, 22) + padded(variable, 28) +
            value + "\n";
  }
  return text;
}

std::string command_json(const CommandSpec& command) {
  std::vector<std::string> options;
  for (const OptionText& each : options_of(command)) {
    options.push_back(JsonObject()
                          .text("flags", each.flags)
                          .text_or_null("value", each.value_name)
                          .text("help", each.help)
                          .raw("choices", json_strings(each.choices))
                          .take());
  }
  std::vector<std::string> codes;
  for (const ExitCodeRow& row : exit_code_table()) {
    if (can_end_with(command, row)) codes.emplace_back(row.code);
  }
  return JsonObject()
      .text("name", command.name)
      .text("usage", command.usage)
      .text("summary", command.summary)
      .text("details", command.details)
      .raw("options", json_list(options))
      .raw("exit_codes", json_strings(codes))
      .take();
}

std::string setting_json(const SettingRow& row) {
  return JsonObject()
      .text("setting", row.key)
      .text_or_null("flag", row.flags)
      .text_or_null("environment", row.environment)
      .text("key", row.key)
      .text("default", row.default_value)
      .text_or_null("unit", row.unit)
      .yes_no("reloadable", row.reloadable)
      .text("help", row.help)
      .take();
}

}  // namespace

std::vector<std::string> flag_words(std::string_view flags) {
  std::vector<std::string> words;
  while (!flags.empty()) {
    const std::size_t end = std::min(flags.find(','), flags.size());
    words.emplace_back(flags.substr(0, end));
    flags.remove_prefix(std::min(end + 1, flags.size()));
  }
  return words;
}

std::vector<OptionText> options_of(const CommandSpec& command) {
  std::vector<OptionText> all;
  for (const OptionSpec& option : command.options) all.push_back(text_of(option));
  for (const std::string_view key : command.settings) all.push_back(text_of(*find_setting(key)));
  all.push_back({"-h, --help", "", "say this", {}});
  return all;
}

std::string help_text() {
  std::string text =
      "usage: locker COMMAND [options] …\n\n"
      "One writer at a time for one partition of one table.\n\ncommands:\n";
  for (const CommandSpec* command : command_table()) {
    text += two_columns(std::string(command->name), command->summary, 18);
  }
  text += "  --version           versions and what is built in\n\n";
  text += "settings (flag, before environment, before configuration file by its key):\n";
  text += "  " + padded("KEY", 20) + padded("FLAG", 22) + padded("ENVIRONMENT", 28) + "DEFAULT\n";
  text += setting_lines();
  text += "\nenvironment of a command under `run` (never read as settings):\n";
  for (const ReservedVariable& variable : reserved_variables()) {
    text += two_columns(std::string(variable.name), variable.meaning, 24);
  }
  return text + "\nexit codes:\n" + exit_code_lines(nullptr) +
         "\n`locker COMMAND --help` says more about one command.\n";
}

std::string group_help_text(std::string_view group) {
  std::string text = "usage: locker " + std::string(group) + " COMMAND [options] …\n\ncommands:\n";
  for (const CommandSpec* command : command_table()) {
    if (!command->name.starts_with(std::string(group) + " ")) continue;
    text += two_columns(std::string(command->name), command->summary, 18);
  }
  return text + "\n`locker " + std::string(group) +
         " COMMAND --help` says more about one of them.\n";
}

std::string command_help_text(const CommandSpec& command) {
  const std::string name(command.name);
  std::string text = "usage: locker " + name + " " + std::string(command.usage) + "\n\n" + name +
                     ": " + sentence(command.summary) + "\n";
  if (!command.details.empty()) text += wrapped(command.details, 0, 0) + "\n";
  text += "\noptions:\n";
  for (const OptionText& each : options_of(command)) {
    const std::string value = each.value_name.empty() ? "" : " " + each.value_name;
    text += two_columns(each.flags + value, each.help, 32);
  }
  if (!command.example.empty()) text += "\nexample:\n  " + std::string(command.example) + "\n";
  return text + "\nexit codes:\n" + exit_code_lines(&command);
}

std::string reference_json() {
  std::vector<std::string> commands;
  for (const CommandSpec* command : command_table()) commands.push_back(command_json(*command));
  std::vector<std::string> settings;
  for (const SettingRow& row : setting_table()) settings.push_back(setting_json(row));
  std::vector<std::string> variables;
  for (const ReservedVariable& each : reserved_variables()) {
    variables.push_back(JsonObject().text("name", each.name).text("meaning", each.meaning).take());
  }
  std::vector<std::string> codes;
  for (const ExitCodeRow& row : exit_code_table()) {
    codes.push_back(JsonObject()
                        .text("code", row.code)
                        .text("name", row.name)
                        .text("meaning", row.meaning)
                        .take());
  }
  return JsonObject()
      .text("version", version())
      .raw("commands", json_list(commands))
      .raw("settings", json_list(settings))
      .raw("environment", json_list(variables))
      .raw("exit_codes", json_list(codes))
      .take();
}

}  // namespace locker::cli
