#include "cli/store.h"

#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include <locker/text.h>

namespace locker::cli {

namespace {

// Whoever gives words to -p is shown what they are in the form that it takes.
Error with_slash_form(Error error, const std::string& text) {
  std::vector<std::string> words;
  std::istringstream left(text);
  for (std::string word; left >> word;) words.push_back(word);
  if (words.size() < 2) return error;
  const Result<PartitionSpec> meant = PartitionSpec::parse_words(words);
  if (!meant || !meant->check()) return error;
  error.message += "\n-p takes the slash form: did you mean -p " + meant->to_string() + "?";
  return error;
}

}  // namespace

OpenOptions open_options(const Settings& settings) {
  OpenOptions options;
  options.application = settings.text("owner");
  options.connect_timeout = settings.duration("connect_timeout");
  options.session_timeout = settings.duration("session_timeout");
  return options;
}

Error explain_open_error(const Settings& settings, Error error) {
  const bool bad_url =
      error.errc == Errc::config || (error.errc == Errc::invalid && error.code == "bad_url");
  if (!bad_url) return error;
  const SettingValue& url = settings.value("url");
  const bool by_flag = url.origin == Origin::flag;
  error.errc = by_flag ? Errc::invalid : Errc::config;
  error.message = (by_flag ? "--url: " : origin_text(url) + ": url: ") + error.message;
  return error;
}

Result<PartitionLocker> open_store(Call& call) {
  Result<PartitionLocker> opened =
      PartitionLocker::open(call.settings.text("url"), open_options(call.settings));
  if (!opened) return explain_open_error(call.settings, std::move(opened).error());
  for (const std::string& warning : opened->warnings()) call.voice.say(warning);
  if (&call.command == &doctor_command) return opened;
  for (const std::string& advice : opened->advice()) call.voice.info(advice);
  return opened;
}

Result<std::optional<Owner>> inherited_owner() {
  const char* text = std::getenv("LOCKER_OWNER");
  if (text == nullptr || *text == '\0') return std::optional<Owner>();
  Result<Owner> owner = Owner::parse(text);
  if (!owner) {
    return make_error(Errc::config,
                      "LOCKER_OWNER is not what a locker hands to its command; unset it, or pass "
                      "it on as it was");
  }
  return std::optional<Owner>(std::move(*owner));
}

Result<PartitionSpec> read_resource(std::span<const std::string> words) {
  if (words.empty()) {
    return make_error(Errc::invalid, "usage", "a resource is missing: DB[.TABLE [COL=VALUE…]]");
  }
  const bool slash_form = words.front().find('/') != std::string::npos;
  if (slash_form && words.size() > 1) {
    return make_error(Errc::invalid, "usage",
                      "\"" + visible(words.front()) +
                          "\" is a whole resource in the slash form; "
                          "\"" +
                          visible(words[1]) + "\" can't follow it");
  }
  Result<PartitionSpec> spec =
      slash_form ? PartitionSpec::parse(words.front()) : PartitionSpec::parse_words(words);
  if (!spec) return spec;
  Result<void> checked = spec->check();
  if (!checked) return checked.error();
  return spec;
}

Result<std::optional<PartitionSpec>> read_prefix(std::span<const std::string> words) {
  if (words.empty()) return std::optional<PartitionSpec>();
  Result<PartitionSpec> spec = read_resource(words);
  if (!spec) return std::move(spec).error();
  return std::optional<PartitionSpec>(std::move(*spec));
}

Result<LockSet> read_members(const ParsedOptions& options, std::span<const std::string> words) {
  const LockMode mode = options.has("--shared") ? LockMode::shared : LockMode::exclusive;
  LockSet members;
  const std::vector<std::string> slash_forms = options.all("--partition");
  if (!slash_forms.empty() && !words.empty()) {
    return make_error(
        Errc::invalid, "usage",
        "resources stand in -p or in words, not in both: \"" + visible(words.front()) + "\"");
  }
  for (const std::string& text : slash_forms) {
    Result<PartitionSpec> spec = PartitionSpec::parse(text);
    if (!spec) return with_slash_form(std::move(spec).error(), text);
    Result<void> checked = spec->check();
    if (!checked) return checked.error();
    members.push_back({std::move(*spec), mode});
  }
  if (!members.empty()) return members;
  Result<PartitionSpec> spec = read_resource(words);
  if (!spec) return std::move(spec).error();
  members.push_back({std::move(*spec), mode});
  return members;
}

Result<std::chrono::milliseconds> lock_timeout(const Call& call) {
  const std::chrono::milliseconds timeout = call.settings.duration("timeout");
  if (!call.options.has("--nonblock")) return timeout;
  const bool given = call.settings.value("timeout").origin == Origin::flag;
  if (given && timeout.count() != 0) {
    return make_error(Errc::invalid, "usage", "-n takes the lock now; it can't wait as -w says");
  }
  return std::chrono::milliseconds(0);
}

std::string database_note(const LockSet& members) {
  for (const LockMember& member : members) {
    if (!member.resource.table().empty()) continue;
    const std::string name = member.resource.to_string();
    return name + " is a whole database; a table is written db." + name;
  }
  return "";
}

std::string own_store_directory() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/locker";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.local/state/locker";
  return "";
}

std::string default_store_directory() {
  constexpr const char* shared = "/var/lib/locker";
  const bool writable = ::faccessat(AT_FDCWD, shared, R_OK | W_OK | X_OK, AT_EACCESS) == 0;
  return writable ? shared : own_store_directory();
}

std::string members_text(const LockSet& members) {
  if (members.size() == 1) return members.front().resource.to_string();
  return std::to_string(members.size()) + " resources (" + members.front().resource.to_string() +
         ", …)";
}

}  // namespace locker::cli
