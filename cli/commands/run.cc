#include <array>

#include <locker/text.h>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/run/locked_run.h"
#include "cli/shared_options.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array options{
    option_partition,
    option_nonblock,
    option_shared,
    option_reason,
    OptionSpec{"--once", "",
               "skip the command if a run with --once has succeeded for this partition before"},
    OptionSpec{"--once-code", "N", "the exit code of a skipped run (default 0)"},
};
constexpr std::array<std::string_view, 13> settings{
    "timeout",  "conflict_exit_code", "owner", "quiet",           "detach_children", "on_timeout",
    "on_lost",  "metrics_file",       "url",   "connect_timeout", "session_timeout", "output",
    "log_level"};

// The words of a call: the resource, then the command.
struct RunWords {
  std::vector<std::string> resource;
  std::vector<std::string> command;
};

// The resource ends at the first word without `=`; from there on nothing is an option of ours.
Result<RunWords> split_words(const ParsedOptions& given) {
  const std::vector<std::string>& words = given.words;
  RunWords split;
  auto word = words.begin();
  const bool by_option = given.has("--partition");
  if (!by_option && word != words.end() && *word != "--") {
    split.resource.push_back(*word++);
    while (word != words.end() && word->find('=') != std::string::npos && word->front() != '-') {
      split.resource.push_back(*word++);
    }
  }
  const bool marked = word != words.end() && *word == "--";
  if (by_option && !marked) {
    return make_error(Errc::invalid, "usage", "after -p, the command must follow a `--`");
  }
  if (!marked && word != words.end() && word->starts_with('-')) {
    return make_error(Errc::invalid, "usage",
                      "options come before the resource: \"" + visible(*word) +
                          "\" (write `--` before a command whose name begins with a dash)");
  }
  if (marked) ++word;
  split.command.assign(word, words.end());
  if (!by_option && split.resource.empty()) {
    return make_error(Errc::invalid, "usage", "a resource is missing: DB[.TABLE [COL=VALUE…]]");
  }
  if (split.command.empty()) {
    return make_error(Errc::invalid, "usage", "the command to run is missing");
  }
  return split;
}

Result<int> once_code(const ParsedOptions& given) {
  const std::string text = given.value("--once-code");
  if (text.empty() && !given.has("--once-code")) return exit_done;
  if (!given.has("--once")) {
    return make_error(Errc::invalid, "usage", "--once-code says nothing without --once");
  }
  const bool digits = !text.empty() && text.size() <= 3 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoi(text) > 255) {
    return make_error(Errc::invalid, "usage",
                      "--once-code: \"" + visible(text) + "\" is no exit code, 0 to 255");
  }
  return std::stoi(text);
}

Result<RunPlan> read_plan(const Call& call) {
  Result<RunWords> words = split_words(call.options);
  if (!words) return std::move(words).error();
  Result<LockSet> members = read_members(call.options, words->resource);
  if (!members) return std::move(members).error();
  // Two that hold it shared at the same time would both find nothing done.
  if (call.options.has("--once") && call.options.has("--shared")) {
    return make_error(Errc::invalid, "usage", "--once needs the exclusive lock, not -s");
  }
  Result<int> skipped = once_code(call.options);
  if (!skipped) return std::move(skipped).error();
  Result<std::chrono::milliseconds> timeout = lock_timeout(call);
  if (!timeout) return std::move(timeout).error();
  Result<std::optional<Owner>> owner = inherited_owner();
  if (!owner) return std::move(owner).error();
  RunPlan plan;
  plan.members = std::move(*members);
  plan.command = std::move(words->command);
  plan.timeout = *timeout;
  plan.owner = owner->has_value() ? std::move(**owner) : Owner::create();
  plan.reason = call.options.value("--reason");
  plan.once = call.options.has("--once");
  plan.once_code = *skipped;
  return plan;
}

int run(Call& call) {
  Result<RunPlan> plan = read_plan(call);
  if (!plan) return call.voice.fail(plan.error());
  const std::string note = database_note(plan->members);
  if (!note.empty() && !call.settings.yes("quiet") && !call.voice.json()) call.voice.warn(note);
  return run_locked(call, std::move(*plan));
}

}  // namespace

extern const CommandSpec run_command{
    "run",
    "[options] DB[.TABLE [COL=VALUE…]] [--] COMMAND [ARGUMENT…]",
    "run a command while holding the lock",
    "The resource ends at the first word without `=`; from there on everything is the command. "
    "With -p, a `--` must stand before it. The command's exit code is passed through.",
    options,
    settings,
    true,
    run,
    "locker run -w 10m ods.user_info dt=20230501 -- ./build_partition.sh 20230501"};

}  // namespace locker::cli
