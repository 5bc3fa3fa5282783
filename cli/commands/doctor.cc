#include <algorithm>
#include <array>

#include <unistd.h>

#include <locker/text.h>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/listing.h"
#include "cli/process_state.h"
#include "cli/render.h"
#include "cli/session_advice.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array options{
    OptionSpec{"--clean", "", "remove what dead sessions left behind"},
};
constexpr std::array<std::string_view, 4> settings{"output", "url", "connect_timeout", "log_level"};

std::string heartbeat_text(const SessionInfo& session) {
  if (!session.heartbeat_age) return "none needed";
  return std::to_string(session.heartbeat_age->count()) + " ms ago";
}

std::string process_text(const SessionInfo& session, ProcessState state) {
  if (session.broken) return "unknown";
  if (!session.foreign) return owner_text(session.process) + ", " + std::string(name_of(state));
  const std::string& host = session.process.host;
  return session.process.application + (host.empty() ? "" : ", which calls itself " + host);
}

std::string as_json(const SessionInfo& session) {
  const ProcessState state = state_of(session.process);
  std::string json = session_json(session);
  json.pop_back();
  return json + ",\"process_state\":" + json_string(name_of(state)) +
         ",\"advice\":" + json_string(advice_for(session, state)) + "}";
}

std::string as_json(const LeftOver& left) {
  return JsonObject()
      .text("left_over", left.place)
      .text("what", left.what)
      .text("since", utc_text(left.since))
      .take();
}

std::string as_text(const SessionInfo& session) {
  const ProcessState state = state_of(session.process);
  Table facts({"SESSION", session.id});
  facts.add({"process", process_text(session, state)});
  facts.add({"alive", std::string(session.alive ? "yes" : "no") + " (" + session.liveness + ")"});
  facts.add({"heartbeat", heartbeat_text(session)});
  if (session.timeout) facts.add({"time-out", format_duration(*session.timeout)});
  facts.add({"opened", local_text(session.opened)});
  facts.add({"places in queues", std::to_string(session.locks)});
  facts.add({"to do", advice_for(session, state)});
  return facts.to_string();
}

std::string as_text(std::span<const LeftOver> left) {
  constexpr std::size_t most_shown = 20;
  Table table({"LEFT OVER", "WHAT", "SINCE"});
  for (const LeftOver& each : left.first(std::min(left.size(), most_shown))) {
    table.add({each.place, each.what, local_text(each.since)});
  }
  std::string text = table.to_string();
  if (left.size() > most_shown) {
    text += "and " + std::to_string(left.size() - most_shown) + " more\n";
  }
  return text + "to do: `locker doctor --clean` removes what is left over\n";
}

// The other store that commands on this host may use by default; empty: there is none.
std::string other_store(const std::string& url) {
  const std::string shared = "/var/lib/locker";
  const std::string own = own_store_directory();
  std::string other;
  if (url == "local:" + shared) other = own;
  if (!own.empty() && url == "local:" + own) other = shared;
  const bool there = !other.empty() && ::access((other + "/locks.db").c_str(), R_OK) == 0;
  return there ? "local:" + other : "";
}

// Two jobs that look into two stores do not exclude each other: the commonest trap of one host.
void warn_of_two_stores(const Call& call, const PartitionLocker& locker, std::size_t sessions) {
  const std::string other = other_store(locker.url());
  if (other.empty() || sessions == 0) return;
  Result<PartitionLocker> second = PartitionLocker::open(other, open_options(call.settings));
  if (!second) return;
  const Result<std::vector<SessionInfo>> there = second->sessions();
  if (!there) return;
  const bool used = std::ranges::any_of(
      *there, [](const SessionInfo& each) { return each.alive && each.locks > 0; });
  if (!used) return;
  call.voice.say("two stores are in use on this host, " + locker.url() + " and " + other +
                 ": jobs in one are not excluded by jobs in the other; use one --url for all");
}

// What a call found.
struct Findings {
  std::vector<SessionInfo> sessions;
  std::vector<LeftOver> left_overs;
};

int print_findings(const Call& call, const Findings& found) {
  if (wants_json(call.settings)) {
    std::vector<std::string> items;
    for (const SessionInfo& each : found.sessions) items.push_back(as_json(each));
    for (const LeftOver& each : found.left_overs) items.push_back(as_json(each));
    return print_json_items(call, items);
  }
  std::string text;
  for (const SessionInfo& each : found.sessions) text += (text.empty() ? "" : "\n") + as_text(each);
  if (found.sessions.empty()) text = "no sessions: nobody holds or waits\n";
  if (!found.left_overs.empty()) text += "\n" + as_text(found.left_overs);
  return print(text) ? exit_done : exit_no_output;
}

Result<Findings> look(PartitionLocker& locker, const std::optional<PartitionSpec>& prefix) {
  Findings found;
  Result<std::vector<SessionInfo>> sessions = locker.sessions(prefix);
  if (!sessions) return std::move(sessions).error();
  found.sessions = std::move(*sessions);
  // This call's own session says nothing about the store.
  std::erase_if(found.sessions, [](const SessionInfo& each) {
    return each.process.pid == ::getpid() && each.locks == 0;
  });
  // They are the whole store's.
  if (prefix) return found;
  Result<std::vector<LeftOver>> left = locker.left_overs();
  if (!left) return std::move(left).error();
  found.left_overs = std::move(*left);
  return found;
}

int run(Call& call) {
  const Result<std::optional<PartitionSpec>> prefix = read_prefix(call.options.words);
  if (!prefix) return call.voice.fail(prefix.error());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  const Result<Findings> found = look(*locker, *prefix);
  if (!found) return call.voice.fail(found.error());
  call.voice.info("store " + locker->url());
  warn_of_two_stores(call, *locker, found->sessions.size());
  for (const std::string& advice : locker->advice()) call.voice.warn(advice);
  const int code = print_findings(call, *found);
  if (!call.options.has("--clean")) return code;
  const Result<int> removed = locker->clean();
  if (!removed) return call.voice.fail(removed.error());
  call.voice.say("removed " + std::to_string(*removed) + (*removed == 1 ? " thing" : " things") +
                 " that nobody needs");
  return code;
}

}  // namespace

extern const CommandSpec doctor_command{"doctor",
                                        "[options] [DB[.TABLE [COL=VALUE…]]]",
                                        "are the owners of locks alive, and what is to be done?",
                                        "",
                                        options,
                                        settings,
                                        false,
                                        run};

}  // namespace locker::cli
