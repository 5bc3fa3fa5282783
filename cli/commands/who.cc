#include <algorithm>
#include <array>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/listing.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array<std::string_view, 4> settings{"output", "url", "connect_timeout", "log_level"};

int run(Call& call) {
  const Result<PartitionSpec> resource = read_resource(call.options.words);
  if (!resource) return call.voice.fail(resource.error());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  Result<std::vector<Contender>> all = locker->list(*resource, true);
  if (!all) return call.voice.fail(all.error());
  std::erase_if(*all, [](const Contender& each) { return !each.holds; });
  if (all->empty()) call.voice.say("nobody holds " + resource->to_string());
  return print_contenders(call, *all);
}

}  // namespace

extern const CommandSpec who_command{"who",
                                     "[options] DB[.TABLE [COL=VALUE…]]",
                                     "who holds it, or something above or below it",
                                     "",
                                     {},
                                     settings,
                                     false,
                                     run};

}  // namespace locker::cli
