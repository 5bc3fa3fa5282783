#include "cli/session_advice.h"

#include <locker/text.h>

namespace locker::cli {
namespace {

// A heartbeat comes every sixth of the time-out: two are missing then.
bool is_late(const SessionInfo& session) {
  return session.timeout && session.heartbeat_age && *session.heartbeat_age > *session.timeout / 3;
}

std::string when_nothing_is_held(const SessionInfo& session) {
  return session.locks == 0 ? "nothing: it holds nothing" : "nothing: its process is alive";
}

// Where the kernel vouches: a session ends with its processes.
std::string by_the_kernel(const SessionInfo& session, ProcessState state) {
  switch (state) {
    case ProcessState::running:
      return when_nothing_is_held(session);
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

// Where a session ends some time after the last word of it.
std::string by_the_lease(const SessionInfo& session, ProcessState state) {
  const std::string after =
      "when its time-out of " + format_duration(*session.timeout) + " is over";
  switch (state) {
    case ProcessState::stopped:
      return "its process is stopped: continue it (kill -CONT) soon, or its locks go to the next " +
             after;
    case ProcessState::zombie:
    case ProcessState::gone:
      return "its process has ended: wait, its locks go by themselves " + after;
    case ProcessState::running:
    case ProcessState::elsewhere:
      break;
  }
  if (session.locks == 0) return "nothing: it holds nothing";
  if (session.heartbeat_age && *session.heartbeat_age > *session.timeout) {
    return "ZooKeeper hears its connection but no heartbeat for longer than its time-out, so it "
           "believes in no lock any more: its process hangs; end it, or `locker break`";
  }
  if (!is_late(session)) return "nothing: its heartbeat is fresh";
  const std::string where = state == ProcessState::running
                                ? "its process runs, but its heartbeat is late: it hangs, or is "
                                  "cut off from the servers"
                                : "its heartbeat is late: its process is dead, stopped or cut off "
                                  "from the servers; look on " +
                                      visible(session.process.host);
  return where + "; if it is not heard again, its locks go " + after;
}

}  // namespace

std::string advice_for(const SessionInfo& session, ProcessState state) {
  if (session.foreign) {
    return "another program's lock, which ours respect: end it there, or `locker break`, of which "
           "that program is not told";
  }
  if (session.broken) {
    return "it may do nothing any more but its places still stand: `locker break` takes them away "
           "once it has had the time to stop";
  }
  if (!session.alive) return "it is over; `locker doctor --clean` removes what it left";
  return session.timeout ? by_the_lease(session, state) : by_the_kernel(session, state);
}

}  // namespace locker::cli
