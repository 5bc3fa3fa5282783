#include "cli/settings.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <locker/text.h>

#include "cli/config_file.h"
#include "cli/run/descriptor.h"

extern char** environ;

namespace locker::cli {
namespace {

using enum SettingKind;

constexpr std::array rows{
    SettingRow{"url", "--url", "LOCKER_BACKEND", text, "URL", "local:", "", false,
               "where the locks are kept; see `locker backends`"},
    SettingRow{"timeout", "-w,--timeout", "LOCKER_TIMEOUT", duration, "DURATION", "300s", "s",
               false,
               "how long to wait for the lock: decimal seconds, or numbers with ms s m h d as "
               "1h30m, or inf; 0 tries"},
    SettingRow{"connect_timeout", "--connect-timeout", "LOCKER_CONNECT_TIMEOUT", duration,
               "DURATION", "15s", "s", false, "how long to wait for the store itself"},
    SettingRow{"session_timeout", "--session-timeout", "", duration, "DURATION", "30s", "s", false,
               "the session time-out asked for, where the backend has one"},
    SettingRow{"conflict_exit_code", "-E,--conflict-exit-code", "LOCKER_CONFLICT_EXIT_CODE",
               exit_code, "N", "75", "", false, "the exit code when the lock was not obtained"},
    SettingRow{"owner", "--owner", "LOCKER_APPLICATION", text, "LABEL", "", "", false,
               "the application's name, shown to those who wait"},
    SettingRow{"quiet", "-q,--quiet", "LOCKER_QUIET", yes_no, "", "false", "", false,
               "say nothing while waiting"},
    SettingRow{"output", "-o,--output", "LOCKER_OUTPUT", output, "FORM", "table", "", false,
               "table, json or jsonl (one object a line)"},
    SettingRow{"log_level", "--log-level", "LOCKER_LOG_LEVEL", level, "LEVEL", "warning", "", false,
               "what to say on stderr: error, warning, info or debug"},
    SettingRow{"detach_children", "--detach-children", "LOCKER_DETACH_CHILDREN", yes_no, "",
               "false", "", false,
               "let go once the command itself has ended, though processes it started still run"},
    SettingRow{"on_timeout", "--on-timeout", "LOCKER_ON_TIMEOUT", text, "COMMAND", "", "", false,
               "a shell command for when the lock was not obtained; it gets JSON on stdin, and "
               "what it prints goes to stderr"},
    SettingRow{"on_lost", "--on-lost", "LOCKER_ON_LOST", text, "COMMAND", "", "", false,
               "a shell command for when the lock was lost; it gets JSON on stdin, and what "
               "it prints goes to stderr"},
    SettingRow{"metrics_file", "--metrics-file", "LOCKER_METRICS_FILE", text, "FILE", "", "", false,
               "write figures of this run there, for a Prometheus textfile collector"},
};

constexpr std::array reserved{
    ReservedVariable{"LOCKER_RESOURCE",
                     "what is locked, in the slash form; a line for each member"},
    ReservedVariable{"LOCKER_PATH", "its path below the lock root; a line for each member"},
    ReservedVariable{"LOCKER_ID", "the request's id, as listings show it"},
    ReservedVariable{"LOCKER_TOKEN", "the fencing token, the greatest of a set"},
    ReservedVariable{"LOCKER_TOKENS", "JSON: the token of every member by its resource"},
    ReservedVariable{"LOCKER_SESSION_TIMEOUT",
                     "milliseconds; `none` where the kernel vouches for liveness"},
    ReservedVariable{"LOCKER_OWNER",
                     "makes a locker started by the command the same owner as its parent"},
    ReservedVariable{"LOCKER_URL",
                     "the store of the lock; a locker that finds LOCKER_OWNER uses it by default"},
};

constexpr std::array<std::string_view, 3> outputs{"table", "json", "jsonl"};
constexpr std::array<std::string_view, 4> levels{"error", "warning", "info", "debug"};
constexpr std::array<std::string_view, 2> yes_and_no{"true", "false"};

std::string listed(std::span<const std::string_view> words) {
  std::string all;
  for (const std::string_view word : words) all.append(all.empty() ? "" : ", ").append(word);
  return all;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view near = suggest(word, candidates);
  return near.empty() ? "" : "; did you mean " + std::string(near) + "?";
}

std::optional<int> small_number(std::string_view text) {
  int number = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = problem == std::errc() && end == text.data() + text.size();
  if (!whole || number < 0 || number > 255) return std::nullopt;
  return number;
}

// What is wrong with the text of a setting; empty: nothing. Makes yes and no canonical.
std::string problem_of(const SettingRow& row, std::string& text) {
  if (row.kind == SettingKind::yes_no) {
    if (text == "1" || text == "yes") text = "true";
    if (text == "0" || text == "no" || text.empty()) text = "false";
  }
  const std::span<const std::string_view> choices = choices_of(row.kind);
  if (!choices.empty()) {
    for (const std::string_view choice : choices) {
      if (text == choice) return "";
    }
    return "\"" + visible(text) + "\" is none of " + listed(choices) + did_you_mean(text, choices);
  }
  if (row.kind == SettingKind::duration) {
    const Result<std::chrono::milliseconds> read = parse_duration(text);
    return read ? "" : read.error().message;
  }
  if (row.kind == SettingKind::exit_code && !small_number(text)) {
    return "\"" + visible(text) + "\" is no exit code, 0 to 255";
  }
  return "";
}

Error setting_error(const SettingRow& row, const SettingValue& value, const std::string& problem) {
  if (value.origin == Origin::flag) {
    return make_error(Errc::invalid, "usage", std::string(long_flag(row.flags)) + ": " + problem);
  }
  return make_error(Errc::config, value.place + ": " + std::string(row.key) + ": " + problem);
}

Result<std::string> file_text(const std::string& path) {
  const auto unreadable = [&path](const std::string& why) {
    return make_error(Errc::config, visible(path) + ": cannot read: " + why);
  };
  // Opening a pipe must not wait for its writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::string("{}");
    return unreadable(std::strerror(errno));
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return unreadable(std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) return unreadable("it is no regular file");
  std::string text;
  char part[8192];
  while (text.size() <= longest_config_bytes) {
    const ssize_t count = ::read(file.get(), part, sizeof part);
    if (count < 0) return unreadable(std::strerror(errno));
    if (count == 0) break;
    text.append(part, static_cast<std::size_t>(count));
  }
  return text;
}

using Values = std::map<std::string, SettingValue, std::less<>>;

Result<void> read_file(const std::string& path, Origin origin, Values& values) {
  if (path.empty()) return {};
  const Result<std::string> text = file_text(path);
  if (!text) return text.error();
  const auto entries = parse_config(*text);
  if (!entries) {
    return make_error(Errc::config, visible(path) + ": " + entries.error().message);
  }
  std::vector<std::string_view> keys;
  for (const SettingRow& row : rows) keys.push_back(row.key);
  for (const ConfigEntry& entry : *entries) {
    if (find_setting(entry.key) == nullptr) {
      return make_error(Errc::config, "unknown_key",
                        visible(path) + ": there is no setting \"" + visible(entry.key) + "\"" +
                            did_you_mean(entry.key, keys));
    }
    values[entry.key] = {entry.value, origin, path};
  }
  return {};
}

std::vector<std::string> unread_variables(const SettingSources& sources) {
  std::vector<std::string_view> names;
  for (const SettingRow& row : rows) {
    if (!row.environment.empty()) names.push_back(row.environment);
  }
  std::vector<std::string> warnings;
  for (const auto& [name, text] : sources.environment) {
    const auto is_name = [&name](std::string_view each) { return each == name; };
    const auto is_reserved = [&](const ReservedVariable& each) { return is_name(each.name); };
    if (std::ranges::none_of(names, is_name) && std::ranges::none_of(reserved, is_reserved)) {
      warnings.push_back("nothing reads the environment variable " + visible(name) +
                         did_you_mean(name, names));
    }
  }
  // Names that `run` hands down look like settings; set by hand, they would be dropped in silence.
  const bool under_run =
      sources.environment.contains("LOCKER_OWNER") || sources.environment.contains("LOCKER_ID");
  const auto mistaken = [&](const std::string& name, const std::string& meant) {
    if (under_run || !sources.environment.contains(name)) return;
    warnings.push_back(name + " is set for commands by `run`, it is no setting: did you mean " +
                       meant + "?");
  };
  mistaken("LOCKER_URL", "LOCKER_BACKEND");
  mistaken("LOCKER_SESSION_TIMEOUT", "--session-timeout");
  return warnings;
}

}  // namespace

std::span<const SettingRow> setting_table() {
  return rows;
}

const SettingRow* find_setting(std::string_view key) {
  for (const SettingRow& row : rows) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

std::string_view long_flag(std::string_view flags) {
  return flags.substr(flags.find("--"));
}

std::span<const std::string_view> choices_of(SettingKind kind) {
  switch (kind) {
    case SettingKind::output:
      return outputs;
    case SettingKind::level:
      return levels;
    case SettingKind::yes_no:
      return yes_and_no;
    case SettingKind::text:
    case SettingKind::duration:
    case SettingKind::exit_code:
      break;
  }
  return {};
}

std::span<const ReservedVariable> reserved_variables() {
  return reserved;
}

SettingSources process_sources(std::map<std::string, std::string, std::less<>> flags) {
  SettingSources sources;
  sources.flags = std::move(flags);
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry(*each);
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with("LOCKER_") || equals == std::string_view::npos) continue;
    sources.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  const char* home = std::getenv("HOME");
  const char* folder = std::getenv("XDG_CONFIG_HOME");
  if (folder != nullptr && *folder == '/') {
    sources.user_file = std::string(folder) + "/locker/config.json";
  } else if (home != nullptr && *home != '\0') {
    sources.user_file = std::string(home) + "/.config/locker/config.json";
  }
  sources.system_file = "/etc/locker/config.json";
  return sources;
}

Result<Settings> Settings::load(const SettingSources& sources) {
  Settings settings;
  Values& values = settings.values_;
  for (const SettingRow& row : rows) {
    values[std::string(row.key)] = {std::string(row.default_value), Origin::default_value, ""};
  }
  Result<void> read = read_file(sources.system_file, Origin::system_file, values);
  if (read) read = read_file(sources.user_file, Origin::user_file, values);
  if (!read) return read.error();
  for (const SettingRow& row : rows) {
    const auto variable = sources.environment.find(row.environment);
    if (variable == sources.environment.end()) continue;
    values[std::string(row.key)] = {variable->second, Origin::environment, variable->first};
  }
  // A command under `locker run` reaches its parent's store, however the parent was told of it.
  const auto url = sources.environment.find("LOCKER_URL");
  if (url != sources.environment.end() && sources.environment.contains("LOCKER_OWNER")) {
    values["url"] = {url->second, Origin::parent, url->first};
  }
  for (const auto& [key, text] : sources.flags) values[key] = {text, Origin::flag, ""};
  for (const SettingRow& row : rows) {
    SettingValue& value = values[std::string(row.key)];
    if (value.origin == Origin::flag) value.place = long_flag(row.flags);
    const std::string problem = problem_of(row, value.text);
    if (!problem.empty()) return setting_error(row, value, problem);
  }
  settings.warnings_ = unread_variables(sources);
  return settings;
}

const SettingValue& Settings::value(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) std::abort();
  return found->second;
}

std::chrono::milliseconds Settings::duration(std::string_view key) const {
  return parse_duration(text(key)).value();
}

int Settings::number(std::string_view key) const {
  return small_number(text(key)).value_or(0);
}

std::string origin_text(const SettingValue& value) {
  switch (value.origin) {
    case Origin::flag:
      return "flag " + value.place;
    case Origin::parent:
      return "parent locker (LOCKER_URL)";
    case Origin::environment:
      return "environment " + value.place;
    case Origin::user_file:
    case Origin::system_file:
      return value.place;
    case Origin::default_value:
      break;
  }
  return "default";
}

}  // namespace locker::cli
