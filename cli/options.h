#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locker/result.h>

namespace locker::cli {

struct CommandSpec;

// An option of one command that is not a setting.
struct OptionSpec {
  std::string_view flags;       // "-p,--partition"
  std::string_view value_name;  // empty: it takes no value
  std::string_view help;        // half a sentence
  bool repeated = false;        // whether it may stand there more than once
  // The words that its value can be, for completions; empty: anything.
  std::span<const std::string_view> choices = {};
};

// What stood on the command line after the command's name.
struct ParsedOptions {
  bool help = false;
  // By long flag, "--partition"; an option without a value has one empty value.
  std::map<std::string, std::vector<std::string>, std::less<>> values;
  // The settings that were given as flags, by key.
  std::map<std::string, std::string, std::less<>> settings;
  // What is no option. Without `stops_at_first_word` a first "--" has been taken out; with it the
  // words stand as they were written.
  std::vector<std::string> words;

  bool has(std::string_view flag) const { return values.contains(flag); }
  // The value of an option; empty if it was not given.
  std::string value(std::string_view flag) const;
  std::vector<std::string> all(std::string_view flag) const;
};

// Reads the words after a command's name by its table. Error: invalid/usage.
Result<ParsedOptions> parse_options(const CommandSpec& command, std::span<const std::string> words);

}  // namespace locker::cli
