#include "cli/completion.h"

#include <algorithm>
#include <set>

#include "cli/reference.h"

namespace locker::cli {
namespace {

// "table register" gives "table"; a set, since several commands share it.
std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const CommandSpec* command : command_table()) {
    const std::string word(command->name.substr(0, command->name.find(' ')));
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  return words;
}

std::string second_words(std::string_view first) {
  std::string words;
  for (const CommandSpec* command : command_table()) {
    const std::size_t space = command->name.find(' ');
    if (space == std::string_view::npos || command->name.substr(0, space) != first) continue;
    words.append(words.empty() ? "" : " ").append(command->name.substr(space + 1));
  }
  return words;
}

std::vector<std::string> flags_of(const OptionText& option) {
  std::string flags = option.flags;
  std::erase(flags, ' ');
  return flag_words(flags);
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

// For text between single quotes of a shell.
std::string quoted(std::string_view text) {
  std::string safe;
  for (const char each : text) {
    if (each == '\'') {
      safe += "'\\''";
    } else {
      safe += each;
    }
  }
  return "'" + safe + "'";
}

std::string bash_case(const CommandSpec& command) {
  std::vector<std::string> words;
  std::string values;
  for (const OptionText& option : options_of(command)) {
    const std::vector<std::string> flags = flags_of(option);
    words.insert(words.end(), flags.begin(), flags.end());
    if (option.value_name.empty()) continue;
    const std::string answer =
        option.choices.empty()
            ? "compgen -f -- \"$word\""
            : "compgen -W " + quoted(joined(option.choices, " ")) + " -- \"$word\"";
    values += "        " + joined(flags, "|") + ") COMPREPLY=( $(" + answer + ") ); return ;;\n";
  }
  return "    " + quoted(command.name) + ")\n      case \"$before\" in\n" + values +
         "      esac\n      options=" + quoted(joined(words, " ")) + " ;;\n";
}

// In zsh's option specs these characters mean something.
std::string zsh_safe(std::string_view text) {
  std::string safe;
  for (const char each : text) {
    if (each == '[' || each == ']' || each == ':' || each == '\\') safe += '\\';
    safe += each;
  }
  return safe;
}

std::string zsh_case(const CommandSpec& command) {
  std::string text = "    " + quoted(command.name) + ")\n      _arguments -s -S";
  for (const OptionText& option : options_of(command)) {
    for (const std::string& flag : flags_of(option)) {
      std::string spec = flag + "[" + zsh_safe(option.help) + "]";
      if (!option.value_name.empty()) {
        spec += ":" + option.value_name + ":" +
                (option.choices.empty() ? std::string("_files")
                                        : "(" + joined(option.choices, " ") + ")");
      }
      text += " \\\n        " + quoted(spec);
    }
  }
  return text + " \\\n        '*:: :_normal' ;;\n";
}

}  // namespace

std::string bash_completion() {
  std::string cases;
  std::string groups;
  for (const CommandSpec* command : command_table()) cases += bash_case(*command);
  for (const std::string& word : first_words()) {
    const std::string second = second_words(word);
    if (second.empty()) continue;
    groups += "    " + word + ") if (( COMP_CWORD == 2 )); then COMPREPLY=( $(compgen -W " +
              quoted(second) +
              " -- \"$word\") ); return; fi; command=\"$command ${COMP_WORDS[2]}\" ;;\n";
  }
  return "# Completions of locker for bash; made by `locker completion bash`.\n"
         "_locker() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  local command=\"${COMP_WORDS[1]}\" options=''\n"
         "  COMPREPLY=()\n"
         "  if (( COMP_CWORD == 1 )); then\n"
         "    COMPREPLY=( $(compgen -W " +
         quoted(joined(first_words(), " ") + " --help --version") +
         " -- \"$word\") )\n    return\n  fi\n  case \"$command\" in\n" + groups +
         "  esac\n  case \"$command\" in\n" + cases +
         "  esac\n"
         "  if [[ \"$word\" == -* ]]; then\n"
         "    COMPREPLY=( $(compgen -W \"$options\" -- \"$word\") )\n"
         "  elif [[ \"$command\" == completion ]]; then\n"
         "    COMPREPLY=( $(compgen -W 'bash zsh fish' -- \"$word\") )\n"
         "  elif [[ \"$command\" == run ]]; then\n"
         "    COMPREPLY=( $(compgen -c -f -- \"$word\") )\n"
         "  fi\n"
         "}\n"
         "complete -F _locker locker\n";
}

std::string zsh_completion() {
  std::string cases;
  std::string groups;
  std::string commands;
  for (const CommandSpec* command : command_table()) cases += zsh_case(*command);
  for (const std::string& word : first_words()) {
    commands += " " + word;
    const std::string second = second_words(word);
    if (second.empty()) continue;
    groups += "    " + word + ") if (( CURRENT == 3 )); then compadd " + second +
              "; return; fi; command=\"$command $words[3]\"; shift words; (( CURRENT-- )) ;;\n";
  }
  return "#compdef locker\n"
         "# Completions of locker for zsh; made by `locker completion zsh`.\n"
         "_locker() {\n"
         "  local command=\"$words[2]\"\n"
         "  if (( CURRENT == 2 )); then\n"
         "    compadd -- " +
         commands.substr(1) + " --help --version\n    return\n  fi\n  case \"$command\" in\n" +
         groups +
         "  esac\n  shift words\n  (( CURRENT-- ))\n  case \"$command\" in\n"
         "    completion) compadd bash zsh fish ;;\n" +
         cases +
         "  esac\n}\n"
         "if [[ \"$funcstack[1]\" == _locker ]]; then _locker \"$@\"; else compdef _locker locker; "
         "fi\n";
}

std::string fish_completion() {
  std::string text = "# Completions of locker for fish; made by `locker completion fish`.\n";
  text += "complete -c locker -n __fish_use_subcommand -l version -d 'versions'\n";
  std::set<std::string> told;
  for (const CommandSpec* command : command_table()) {
    const std::string word(command->name.substr(0, command->name.find(' ')));
    const std::string second = second_words(word);
    std::string condition = "__fish_seen_subcommand_from " + word;
    if (told.insert(word).second) {
      const std::string summary =
          second.empty() ? std::string(command->summary) : "one of: " + second;
      text += "complete -c locker -n __fish_use_subcommand -f -a " + word + " -d " +
              quoted(summary) + "\n";
      if (!second.empty()) {
        text += "complete -c locker -n " + quoted(condition) + " -f -a " + quoted(second) + "\n";
      }
    }
    if (!second.empty()) {
      condition +=
          "; and __fish_seen_subcommand_from " + std::string(command->name.substr(word.size() + 1));
    }
    for (const OptionText& option : options_of(*command)) {
      std::string line = "complete -c locker -n " + quoted(condition);
      for (const std::string& flag : flags_of(option)) {
        const bool is_long = flag.starts_with("--");
        line += (is_long ? " -l " : " -s ") + flag.substr(is_long ? 2 : 1);
      }
      if (!option.value_name.empty()) line += option.choices.empty() ? " -r" : " -x";
      if (!option.choices.empty()) line += " -a " + quoted(joined(option.choices, " "));
      text += line + " -d " + quoted(option.help) + "\n";
    }
  }
  return text +
         "complete -c locker -n '__fish_seen_subcommand_from completion' -f -a "
         "'bash zsh fish'\n";
}

}  // namespace locker::cli
