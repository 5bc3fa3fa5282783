#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <locker/about.h>
#include <locker/text.h>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/reference.h"
#include "cli/render.h"

namespace locker::cli {
namespace {

// A command and how many words its name took.
struct Chosen {
  const CommandSpec* command = nullptr;
  std::size_t words = 0;
};

Chosen choose(const std::vector<std::string>& words) {
  for (const CommandSpec* command : command_table()) {
    if (command->name == words[0]) return {command, 1};
    if (words.size() > 1 && command->name == words[0] + " " + words[1]) return {command, 2};
  }
  return {};
}

Error unknown_command(const std::vector<std::string>& words) {
  std::vector<std::string_view> names;
  std::string group;
  for (const CommandSpec* command : command_table()) {
    names.push_back(command->name);
    if (command->name.starts_with(words[0] + " ")) {
      group.append(group.empty() ? "" : ", ").append(command->name);
    }
  }
  if (!group.empty()) return make_error(Errc::invalid, "usage", "say which one: " + group);
  const std::string_view near = suggest(words[0], names);
  return make_error(Errc::invalid, "usage",
                    "there is no command " + visible(words[0]) +
                        (near.empty() ? "" : "; did you mean " + std::string(near) + "?") +
                        " (see `locker --help`)");
}

int print_version() {
  std::string text = "locker " + std::string(version()) + "\n";
  for (const BackendAbout& each : built_in_backends()) {
    text += "backend " + each.scheme + ": " + each.library + "\n";
  }
  return print(text) ? exit_done : exit_no_output;
}

Level level_of(const std::string& name) {
  if (name == "error") return Level::error;
  if (name == "info") return Level::info;
  return name == "debug" ? Level::debug : Level::warning;
}

int run_command_line(const CommandSpec& command, std::span<const std::string> words) {
  Voice voice;
  const Result<ParsedOptions> options = parse_options(command, words);
  if (!options) return voice.fail(options.error());
  if (options->help) return print(command_help_text(command)) ? exit_done : exit_no_output;
  const Result<Settings> settings = Settings::load(process_sources(options->settings));
  if (!settings) return voice.fail(settings.error());
  voice.set(level_of(settings->text("log_level")), settings->text("output") != "table");
  for (const std::string& warning : settings->warnings()) voice.warn(warning);
  Call call{command, *options, *settings, voice};
  return command.run(call);
}

int show(const std::string& text) {
  return print(text) ? exit_done : exit_no_output;
}

bool is_help(const std::string& word) {
  return word == "-h" || word == "--help" || word == "help";
}

bool is_group(const std::string& word) {
  const auto within = [&](const CommandSpec* each) { return each->name.starts_with(word + " "); };
  return std::ranges::any_of(command_table(), within);
}

int surplus(const std::string& word) {
  return Voice().fail(
      make_error(Errc::invalid, "usage",
                 "\"" + visible(word) + "\" is a word too many (see `locker --help`)"));
}

// `locker help run`, `locker help table`, also with `--help`.
int help_about(const std::vector<std::string>& words) {
  const Chosen chosen = choose(words);
  const std::size_t known = chosen.command != nullptr ? chosen.words : 1;
  if (chosen.command == nullptr && !is_group(words[0])) {
    return Voice().fail(unknown_command(words));
  }
  if (words.size() > known) return surplus(words[known]);
  if (chosen.command != nullptr) return show(command_help_text(*chosen.command));
  return show(group_help_text(words[0]));
}

int run_words(const std::vector<std::string>& words) {
  if (words.empty()) {
    Voice().say("a command is missing (see `locker --help`)");
    return exit_usage;
  }
  const std::string& first = words.front();
  if (is_help(first) && words.size() == 1) return show(help_text());
  if (is_help(first)) return help_about({words.begin() + 1, words.end()});
  if (words.size() == 2 && is_help(words[1]) && is_group(first)) {
    return show(group_help_text(first));
  }
  const bool alone = first == "--version" || first == "--dump-reference";
  if (alone && words.size() > 1) return surplus(words[1]);
  if (first == "--version") return print_version();
  // For whoever makes the man page and the docs; not for people.
  if (first == "--dump-reference")
    return print(reference_json() + "\n") ? exit_done : exit_no_output;
  const Chosen chosen = choose(words);
  if (chosen.command == nullptr) return Voice().fail(unknown_command(words));
  return run_command_line(*chosen.command, std::span(words).subspan(chosen.words));
}

// A standard stream that is closed would be taken by the next file that is opened, and what is said
// on stderr would go there. The place holders close at exec, so the command finds them closed too.
void hold_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    if (::open("/dev/null", O_RDWR | O_CLOEXEC) != number) std::abort();
  }
}

}  // namespace
}  // namespace locker::cli

int main(int count, char** words) {
  locker::cli::hold_standard_descriptors();
  return locker::cli::run_words(std::vector<std::string>(words + 1, words + count));
}
