#include <array>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/run/acquirer.h"
#include "cli/run/wait_display.h"
#include "cli/shared_options.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array options{option_partition, option_shared};
constexpr std::array<std::string_view, 9> settings{
    "timeout",         "conflict_exit_code", "owner",  "quiet",    "url",
    "connect_timeout", "session_timeout",    "output", "log_level"};

int run(Call& call) {
  Result<LockSet> members = read_members(call.options, call.options.words);
  if (!members) return call.voice.fail(members.error());
  Result<std::optional<Owner>> owner = inherited_owner();
  if (!owner) return call.voice.fail(owner.error());
  const auto begun = std::chrono::steady_clock::now();
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  const auto connecting = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begun);
  const bool silent = call.settings.yes("quiet") || call.voice.json();
  std::optional<WaitDisplay> display(std::in_place, members_text(*members), silent);
  LockOptions lock_options;
  lock_options.timeout = timeout_after_connecting(call.settings.duration("timeout"), connecting);
  lock_options.owner = *owner;
  if (!silent) {
    lock_options.on_waiting = [&display](const WaitStatus& status) { display->update(status); };
  }
  const Result<void> free = locker->wait_until_free(*members, lock_options);
  display.reset();
  if (free) return exit_done;
  return call.voice.fail(free.error(), call.settings.number("conflict_exit_code"));
}

}  // namespace

extern const CommandSpec wait_command{
    "wait",
    "[options] DB[.TABLE [COL=VALUE…]]",
    "wait until the lock would be granted; holds nothing",
    "Another one may take it the moment after: to write, use `run`.",
    options,
    settings,
    false,
    run};

}  // namespace locker::cli
