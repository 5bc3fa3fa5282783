#include <array>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/listing.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array<std::string_view, 4> settings{"output", "url", "connect_timeout", "log_level"};

int run(Call& call) {
  const Result<std::optional<PartitionSpec>> prefix = read_prefix(call.options.words);
  if (!prefix) return call.voice.fail(prefix.error());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  const Result<std::vector<Contender>> all = locker->list(*prefix);
  if (!all) return call.voice.fail(all.error());
  // An empty answer could as well be the answer of the wrong store.
  if (all->empty() && !wants_json(call.settings)) {
    const std::string where = *prefix ? " at or below " + (*prefix)->to_string() : "";
    call.voice.say("no locks" + where + " in " + locker->url());
    return exit_done;
  }
  return print_contenders(call, *all);
}

}  // namespace

extern const CommandSpec ls_command{
    "ls",
    "[options] [DB[.TABLE [COL=VALUE…]]]",
    "list locks and their queues, in order",
    "With a resource, what stands there and below: `ods`, `ods.t`, `ods.t dt=1`.",
    {},
    settings,
    false,
    run};

}  // namespace locker::cli
