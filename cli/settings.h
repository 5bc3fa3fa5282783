#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locker/result.h>

namespace locker::cli {

// What the text of a setting must be.
enum class SettingKind { text, duration, exit_code, yes_no, output, level };

// A row of the one table of settings, from which parsing, the help, `config show`, completions and
// the man page are made.
struct SettingRow {
  std::string_view key;          // in configuration files
  std::string_view flags;        // "-w,--timeout"; empty: none
  std::string_view environment;  // "LOCKER_TIMEOUT"; empty: none
  SettingKind kind;
  std::string_view value_name;     // "DURATION"; empty for yes_no
  std::string_view default_value;  // as it would be written
  std::string_view unit;           // of a bare number; empty: none
  bool reloadable;                 // whether a running locker would take a new value
  std::string_view help;           // half a sentence
};

std::span<const SettingRow> setting_table();
// The row of a key; null if there is none.
const SettingRow* find_setting(std::string_view key);
// "--timeout" of "-w,--timeout".
std::string_view long_flag(std::string_view flags);
// The values that a setting of a kind with few of them can have; empty: not of such a kind.
std::span<const std::string_view> choices_of(SettingKind kind);

// An environment variable that locker sets for the command under `run` and never reads as a
// setting.
struct ReservedVariable {
  std::string_view name;
  std::string_view meaning;
};
std::span<const ReservedVariable> reserved_variables();

// Where a value comes from; the first of these that has one counts.
enum class Origin { flag, parent, environment, user_file, system_file, default_value };

struct SettingValue {
  std::string text;
  Origin origin = Origin::default_value;
  std::string place;  // the flag, the variable or the file
};

// What settings are read from.
struct SettingSources {
  std::map<std::string, std::string, std::less<>> flags;        // by key
  std::map<std::string, std::string, std::less<>> environment;  // LOCKER_* alone
  std::string user_file;                                        // its path; empty or absent: none
  std::string system_file;                                      // likewise
};

// The sources of this process, with these flags.
SettingSources process_sources(std::map<std::string, std::string, std::less<>> flags);

class Settings {
 public:
  // Errors: invalid (64: a flag), config (78: the environment or a file), each naming its place.
  static Result<Settings> load(const SettingSources& sources);

  const SettingValue& value(std::string_view key) const;
  const std::string& text(std::string_view key) const { return value(key).text; }
  bool yes(std::string_view key) const { return text(key) == "true"; }
  std::chrono::milliseconds duration(std::string_view key) const;
  int number(std::string_view key) const;
  bool given(std::string_view key) const { return value(key).origin != Origin::default_value; }

  // Sentences about LOCKER_* variables that nobody reads: most likely typing errors.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::map<std::string, SettingValue, std::less<>> values_;
  std::vector<std::string> warnings_;
};

// "flag --url", "LOCKER_TIMEOUT", "/etc/locker/config.json", "default".
std::string origin_text(const SettingValue& value);

}  // namespace locker::cli
