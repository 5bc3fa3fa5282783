#include <array>
#include <memory>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/listing.h"
#include "cli/render.h"
#include "cli/shared_options.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array options{option_partition, option_shared};
constexpr std::array<std::string_view, 6> settings{
    "conflict_exit_code", "url", "connect_timeout", "session_timeout", "output", "log_level"};

Error busy(const std::string& resource, std::vector<Contender> blockers) {
  const Contender& first = blockers.front();
  Error error =
      make_error(Errc::timeout, resource + " would not be granted now: " + contender_text(first));
  auto detail = std::make_shared<ErrorDetail>();
  detail->holders = std::move(blockers);
  error.detail = std::move(detail);
  return error;
}

int run(Call& call) {
  Result<LockSet> members = read_members(call.options, call.options.words);
  if (!members) return call.voice.fail(members.error());
  Result<std::optional<Owner>> owner = inherited_owner();
  if (!owner) return call.voice.fail(owner.error());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  Result<std::vector<Contender>> blockers = locker->blockers(*members, *owner);
  if (!blockers) return call.voice.fail(blockers.error());
  const std::string resource = members_text(*members);
  const bool json = wants_json(call.settings);
  const std::string note = database_note(*members);
  if (!note.empty() && !json && !call.settings.yes("quiet")) call.voice.warn(note);
  if (!blockers->empty()) {
    return call.voice.fail(busy(resource, std::move(*blockers)),
                           call.settings.number("conflict_exit_code"));
  }
  if (!json) return print(resource + " would be granted now\n") ? exit_done : exit_no_output;
  JsonObject answer;
  answer.text("resource", resource).yes_no("granted", true);
  if (!note.empty()) answer.raw("advice", json_strings(std::vector{note}));
  return print(answer.take() + "\n") ? exit_done : exit_no_output;
}

}  // namespace

extern const CommandSpec try_command{"try",
                                     "[options] DB[.TABLE [COL=VALUE…]]",
                                     "would the lock be granted now? holds nothing",
                                     "",
                                     options,
                                     settings,
                                     false,
                                     run};

}  // namespace locker::cli
