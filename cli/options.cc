#include "cli/options.h"

#include <CLI/CLI.hpp>

#include <locker/text.h>

#include "cli/command.h"

namespace locker::cli {
namespace {

// A parser for one command, each option of the table beside CLI11's own record of it.
class Parser {
 public:
  explicit Parser(const CommandSpec& command) : command_(command), app_("", "locker") {
    app_.set_help_flag();
    app_.allow_extras();
    app_.prefix_command(command.stops_at_first_word);
    add("-h,--help", "", false);
    for (const OptionSpec& option : command.options) {
      add(option.flags, option.value_name, option.repeated);
    }
    for (const std::string_view key : command.settings) {
      const SettingRow* row = find_setting(key);
      if (row != nullptr) add(row->flags, row->value_name, false);
    }
  }

  Result<ParsedOptions> parse(std::span<const std::string> words) {
    std::vector<std::string> backwards(words.rbegin(), words.rend());
    try {
      app_.parse(backwards);
    } catch (const CLI::ParseError& error) {
      return usage(visible(error.what()));
    }
    ParsedOptions parsed;
    for (const Entry& entry : entries_) collect(entry, parsed);
    parsed.words = app_.remaining();
    Result<void> checked = check_words(parsed);
    if (!checked) return checked.error();
    return parsed;
  }

 private:
  struct Entry {
    std::string_view flags;
    bool takes_value;
    const CLI::Option* option;
  };

  void add(std::string_view flags, std::string_view value_name, bool repeated) {
    const std::string names(flags);
    CLI::Option* option = nullptr;
    if (value_name.empty()) {
      option = app_.add_flag(names);
    } else if (repeated) {
      option = app_.add_option(names, ignored_list_)->allow_extra_args(false);
    } else {
      option = app_.add_option(names, ignored_);
    }
    entries_.push_back({flags, !value_name.empty(), option});
  }

  void collect(const Entry& entry, ParsedOptions& parsed) const {
    if (entry.option->count() == 0) return;
    const std::string flag(long_flag(entry.flags));
    const std::vector<std::string>& results = entry.option->results();
    if (flag == "--help") parsed.help = true;
    for (const std::string_view key : command_.settings) {
      const SettingRow* row = find_setting(key);
      if (row == nullptr || row->flags != entry.flags) continue;
      parsed.settings[std::string(key)] = entry.takes_value ? results.back() : "true";
      return;
    }
    parsed.values[flag] = entry.takes_value ? results : std::vector<std::string>{""};
  }

  // What CLI11 did not know: positional words, or options that nobody has.
  Result<void> check_words(ParsedOptions& parsed) const {
    std::vector<std::string>& words = parsed.words;
    for (auto word = words.begin(); word != words.end(); ++word) {
      if (*word == "--") {
        if (!command_.stops_at_first_word) words.erase(word);
        break;
      }
      if (word->size() > 1 && word->front() == '-' && !parsed.help) return unknown(*word);
      if (command_.stops_at_first_word) break;
    }
    return {};
  }

  Error unknown(const std::string& word) const {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string_view> known;
    for (const Entry& entry : entries_) known.push_back(long_flag(entry.flags));
    const std::string_view near = suggest(name, known);
    return usage("there is no option " + visible(name) +
                 (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
  }

  Error usage(const std::string& problem) const {
    const std::string name(command_.name);
    return make_error(Errc::invalid, "usage", problem + " (see `locker " + name + " --help`)");
  }

  const CommandSpec& command_;
  CLI::App app_;
  std::vector<Entry> entries_;
  std::string ignored_;
  std::vector<std::string> ignored_list_;
};

}  // namespace

std::string ParsedOptions::value(std::string_view flag) const {
  const auto found = values.find(flag);
  return found == values.end() || found->second.empty() ? "" : found->second.back();
}

std::vector<std::string> ParsedOptions::all(std::string_view flag) const {
  const auto found = values.find(flag);
  return found == values.end() ? std::vector<std::string>{} : found->second;
}

Result<ParsedOptions> parse_options(const CommandSpec& command,
                                    std::span<const std::string> words) {
  return Parser(command).parse(words);
}

}  // namespace locker::cli
