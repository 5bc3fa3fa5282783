#include <array>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array<std::string_view, 3> settings{"url", "connect_timeout", "log_level"};

int run(Call& call) {
  const Result<PartitionSpec> table = read_resource(call.options.words);
  if (!table) return call.voice.fail(table.error());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  const Result<void> done = locker->unregister_table(*table);
  return done ? exit_done : call.voice.fail(done.error());
}

}  // namespace

extern const CommandSpec table_unregister_command{
    "table unregister",
    "[options] DB.TABLE",
    "forget the order of a table's partition columns",
    "The next lock that names columns fixes the order anew.",
    {},
    settings,
    false,
    run,
    {},
    1};

}  // namespace locker::cli
