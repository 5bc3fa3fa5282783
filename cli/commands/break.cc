#include <algorithm>
#include <array>
#include <iostream>
#include <set>

#include <unistd.h>

#include <locker/text.h>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/listing.h"
#include "cli/render.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array options{
    OptionSpec{"--reason", "TEXT", "why; its holder and the records get to read it (needed)"},
    OptionSpec{"--id", "REQUEST", "only this holder: its request's id, or the beginning of it"},
    OptionSpec{"--yes", "", "don't ask on a terminal"},
};
constexpr std::array<std::string_view, 4> settings{"output", "url", "connect_timeout", "log_level"};

// The holders of exactly this resource; a lock above or below is another one's business.
Result<std::vector<Contender>> holders_of(PartitionLocker& locker, const PartitionSpec& resource,
                                          const std::string& id) {
  Result<std::vector<Contender>> all = locker.list(resource, true);
  if (!all) return all;
  std::vector<Contender> exact;
  std::string others;
  for (Contender& each : *all) {
    if (!each.holds || !each.request.starts_with(id)) continue;
    // Listings tell resources in their table's column order, so the wider one is compared.
    const bool same = each.resource.keys().size() == resource.keys().size() &&
                      each.resource.table().empty() == resource.table().empty();
    if (same) {
      exact.push_back(std::move(each));
    } else {
      others += "\n  " + contender_text(each);
    }
  }
  if (!exact.empty()) return exact;
  return make_error(Errc::not_found,
                    "nobody" + std::string(id.empty() ? "" : " of that id") + " holds " +
                        resource.to_string() + " itself" +
                        (others.empty() ? "" : "; name the one that you mean:" + others));
}

bool confirmed() {
  const std::string question = "locker: break? [y/N] ";
  if (::write(STDERR_FILENO, question.data(), question.size()) < 0) return false;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

int break_sessions(Call& call, PartitionLocker& locker, const std::vector<Contender>& holders) {
  const Result<std::vector<Contender>> everything = locker.list();
  if (!everything) return call.voice.fail(everything.error());
  std::set<std::string> sessions;
  for (const Contender& holder : holders) sessions.insert(holder.session);
  std::vector<Contender> ending;
  std::ranges::copy_if(*everything, std::back_inserter(ending),
                       [&](const Contender& each) { return sessions.contains(each.session); });
  if (!call.voice.json()) {
    call.voice.say("all locks of " +
                   std::string(sessions.size() == 1 ? "this session end:" : "these sessions end:"));
    for (const Contender& each : ending) call.voice.say("  " + contender_text(each));
  }
  if (::isatty(STDIN_FILENO) == 1 && !call.options.has("--yes") && !confirmed()) {
    call.voice.say("nothing was broken");
    return exit_no;
  }
  for (const Contender& holder : holders) {
    if (!sessions.contains(holder.session)) continue;
    sessions.erase(holder.session);
    const Result<Broken> broken =
        locker.break_session(holder.request, call.options.value("--reason"));
    if (!broken) return call.voice.fail(broken.error());
    if (*broken == Broken::forced) {
      call.voice.say(
          "it did not let go in time, so its locks were taken away: make sure that its "
          "processes no longer write (" +
          contender_text(holder) + ")");
    }
  }
  if (wants_json(call.settings)) {
    print(JsonObject().raw("broken", contenders_json(ending)).take() + "\n");
  } else {
    print("broken\n");
  }
  return exit_done;
}

int run(Call& call) {
  const Result<PartitionSpec> resource = read_resource(call.options.words);
  if (!resource) return call.voice.fail(resource.error());
  if (call.options.value("--reason").empty()) {
    return call.voice.fail(make_error(Errc::invalid, "usage",
                                      "break needs --reason: its holder will want to know why"));
  }
  if (call.options.has("--id") && call.options.value("--id").empty()) {
    return call.voice.fail(
        make_error(Errc::invalid, "usage",
                   "--id is empty: name the request, or leave it out to mean them all"));
  }
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  const Result<std::vector<Contender>> holders =
      holders_of(*locker, *resource, call.options.value("--id"));
  if (!holders) return call.voice.fail(holders.error());
  return break_sessions(call, *locker, *holders);
}

}  // namespace

extern const CommandSpec break_command{
    "break",
    "--reason TEXT [options] DB[.TABLE [COL=VALUE…]]",
    "end the session of a lock's holder, with all its locks",
    "Its holder is told that the lock is lost and `run` ends its command; the next in the queue is "
    "granted after that.",
    options,
    settings,
    false,
    run};

}  // namespace locker::cli
