#include "cli/options.h"

#include <cstddef>

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
    Result<std::vector<std::string>> separate = values_apart(words);
    if (!separate) return std::move(separate).error();
    std::vector<std::string> backwards(separate->rbegin(), separate->rend());
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

  const Entry* find(std::string_view flag) const {
    for (const Entry& entry : entries_) {
      const std::size_t comma = entry.flags.find(',');
      if (entry.flags.substr(0, comma) == flag || long_flag(entry.flags) == flag) return &entry;
    }
    return nullptr;
  }

  // Makes `--name=value` two words: CLI11 takes the next word for a value that is empty, and
  // accepts a value for an option that takes none.
  Result<std::vector<std::string>> values_apart(std::span<const std::string> words) const {
    std::vector<std::string> apart;
    std::size_t next = 0;
    while (next < words.size()) {
      const std::string& word = words[next];
      const bool is_option = word.size() > 1 && word.front() == '-';
      if (word == "--" || (!is_option && command_.stops_at_first_word)) break;
      ++next;
      const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
      const std::string name = word.substr(0, equals);
      const Entry* entry = word.starts_with("--") ? find(name) : last_of_cluster(word);
      if (entry == nullptr || equals == std::string::npos) {
        apart.push_back(word);
        // The value is whatever stands next, even if it looks like an option.
        if (entry != nullptr && entry->takes_value && next < words.size()) {
          apart.push_back(words[next++]);
        }
        continue;
      }
      if (!entry->takes_value) {
        return usage(name + " takes no value: \"" + visible(word.substr(equals + 1)) + "\"");
      }
      apart.push_back(name);
      apart.push_back(word.substr(equals + 1));
    }
    apart.insert(apart.end(), words.begin() + static_cast<std::ptrdiff_t>(next), words.end());
    return apart;
  }

  // Of `-w` or `-nw`: the option whose value the next word is; null: none needs it.
  const Entry* last_of_cluster(const std::string& word) const {
    for (std::size_t index = 1; index < word.size(); ++index) {
      const Entry* entry = find(std::string("-") + word[index]);
      if (entry == nullptr) return nullptr;
      if (entry->takes_value) return index + 1 == word.size() ? entry : nullptr;
    }
    return nullptr;
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
    if (words.size() > command_.most_words && !parsed.help) return surplus(words);
    return {};
  }

  Error surplus(const std::vector<std::string>& words) const {
    const std::string& word = words[command_.most_words];
    const bool url = word.find(':') != std::string::npos && find("--url") != nullptr;
    return usage("\"" + visible(word) + "\" is a word too many" +
                 (url ? "; a store is given with --url" : ""));
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
