#include <array>

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
constexpr std::array<std::string_view, 4> settings{"output", "url", "connect_timeout", "log_level"};

// What a user of engines should know about this lock beyond who holds it.
std::vector<std::string> advice_for(const LockSet& members,
                                    const std::vector<Contender>& blockers) {
  std::vector<std::string> advice;
  if (std::string note = database_note(members); !note.empty()) advice.push_back(std::move(note));
  for (const LockMember& member : members) {
    if (member.resource.keys().empty() || member.mode == LockMode::shared) continue;
    const std::string table = member.resource.database() + "." + member.resource.table();
    advice.push_back(
        "a Spark file write stages in the table root's _temporary, which all its partitions share: "
        "two such writes to different partitions of " +
        table +
        " lose rows; lock the table itself, "
        "or write with spark.sql.sources.partitionOverwriteMode=dynamic");
    break;
  }
  for (const Contender& each : blockers) {
    if (each.holds) continue;
    advice.push_back("some of these only wait themselves; they asked earlier and are served first");
    break;
  }
  return advice;
}

std::string as_text(const std::string& resource, const std::vector<Contender>& blockers,
                    const std::vector<std::string>& advice) {
  std::string text =
      blockers.empty() ? resource + " would be granted now\n" : resource + " would wait for:\n";
  for (const Contender& each : blockers) text += "  " + contender_text(each) + "\n";
  for (const std::string& sentence : advice) text += "note: " + sentence + "\n";
  return text;
}

int run(Call& call) {
  Result<LockSet> members = read_members(call.options, call.options.words);
  if (!members) return call.voice.fail(members.error());
  Result<std::optional<Owner>> owner = inherited_owner();
  if (!owner) return call.voice.fail(owner.error());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  const Result<std::vector<Contender>> blockers = locker->blockers(*members, *owner);
  if (!blockers) return call.voice.fail(blockers.error());
  const std::string resource = members_text(*members);
  const std::vector<std::string> advice = advice_for(*members, *blockers);
  if (!wants_json(call.settings)) {
    return print(as_text(resource, *blockers, advice)) ? exit_done : exit_no_output;
  }
  const std::string json = JsonObject()
                               .text("resource", resource)
                               .yes_no("granted", blockers->empty())
                               .raw("waits_for", contenders_json(*blockers))
                               .raw("advice", json_strings(advice))
                               .take();
  return print(json + "\n") ? exit_done : exit_no_output;
}

}  // namespace

extern const CommandSpec explain_command{"explain",
                                         "[options] DB[.TABLE [COL=VALUE…]]",
                                         "what would a lock wait for, and is it the right one?",
                                         "",
                                         options,
                                         settings,
                                         false,
                                         run};

}  // namespace locker::cli
