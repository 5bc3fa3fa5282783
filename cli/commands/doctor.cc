#include <algorithm>
#include <array>

#include <unistd.h>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/listing.h"
#include "cli/process_state.h"
#include "cli/render.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array options{
    OptionSpec{"--clean", "", "remove what dead sessions left behind"},
};
constexpr std::array<std::string_view, 4> settings{"output", "url", "connect_timeout", "log_level"};

// What a person should do about a session.
std::string advice_for(const SessionInfo& session, ProcessState state) {
  if (!session.alive) return "it is over; `locker doctor --clean` removes what it left";
  switch (state) {
    case ProcessState::running:
      return session.locks == 0 ? "nothing: it holds nothing" : "nothing: its process is alive";
    case ProcessState::stopped:
      return "its process is stopped and keeps its locks: continue it (kill -CONT), end it, or "
             "`locker break`";
    case ProcessState::zombie:
      return "its process has ended but something below it still runs: look at its descendants";
    case ProcessState::gone:
      return "its process is gone but a process that it started keeps the session: end that one, "
             "or `locker break`";
    case ProcessState::elsewhere:
      break;
  }
  return "its process is on another host or boot: look there, or `locker break`";
}

std::string heartbeat_text(const SessionInfo& session) {
  if (!session.heartbeat_age) return "none needed";
  return std::to_string(session.heartbeat_age->count()) + " ms ago";
}

std::string as_json(const SessionInfo& session) {
  const ProcessState state = state_of(session.process);
  std::string json = session_json(session);
  json.pop_back();
  return json + ",\"process_state\":" + json_string(name_of(state)) +
         ",\"advice\":" + json_string(advice_for(session, state)) + "}";
}

std::string as_text(const SessionInfo& session) {
  const ProcessState state = state_of(session.process);
  Table facts({"SESSION", session.id});
  facts.add({"process", owner_text(session.process) + ", " + std::string(name_of(state))});
  facts.add({"alive", std::string(session.alive ? "yes" : "no") + " (" + session.liveness + ")"});
  facts.add({"heartbeat", heartbeat_text(session)});
  facts.add({"opened", local_text(session.opened)});
  facts.add({"places in queues", std::to_string(session.locks)});
  facts.add({"to do", advice_for(session, state)});
  return facts.to_string();
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

int print_sessions(const Call& call, const std::vector<SessionInfo>& sessions) {
  if (wants_json(call.settings)) {
    std::vector<std::string> items;
    for (const SessionInfo& each : sessions) items.push_back(as_json(each));
    return print_json_items(call, items);
  }
  std::string text;
  for (const SessionInfo& each : sessions) text += (text.empty() ? "" : "\n") + as_text(each);
  if (sessions.empty()) text = "no sessions: nobody holds or waits\n";
  return print(text) ? exit_done : exit_no_output;
}

int run(Call& call) {
  const Result<std::optional<PartitionSpec>> prefix = read_prefix(call.options.words);
  if (!prefix) return call.voice.fail(prefix.error());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  Result<std::vector<SessionInfo>> sessions = locker->sessions(*prefix);
  if (!sessions) return call.voice.fail(sessions.error());
  // This call's own session says nothing about the store.
  std::erase_if(*sessions, [](const SessionInfo& each) {
    return each.process.pid == ::getpid() && each.locks == 0;
  });
  call.voice.info("store " + locker->url());
  warn_of_two_stores(call, *locker, sessions->size());
  const int code = print_sessions(call, *sessions);
  if (!call.options.has("--clean")) return code;
  const Result<int> removed = locker->clean();
  if (!removed) return call.voice.fail(removed.error());
  call.voice.say("removed what " + std::to_string(*removed) + " dead things had left");
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
