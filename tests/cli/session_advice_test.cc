#include "cli/session_advice.h"

#include <set>
#include <string>

#include "tests/support/test.h"

using namespace std::chrono_literals;

using locker::SessionInfo;
using locker::cli::advice_for;
using locker::cli::ProcessState;

namespace {

constexpr ProcessState all_states[] = {ProcessState::running, ProcessState::stopped,
                                       ProcessState::zombie, ProcessState::gone,
                                       ProcessState::elsewhere};

// A session that holds something and was heard a moment ago, where there is a time-out.
SessionInfo leased() {
  SessionInfo session;
  session.alive = true;
  session.process.host = "edge-7";
  session.timeout = 30s;
  session.heartbeat_age = 2s;
  session.locks = 1;
  return session;
}

}  // namespace

TEST_CASE("advice: a session that beats needs none, wherever its process is") {
  CHECK(advice_for(leased(), ProcessState::running) == "nothing: its heartbeat is fresh");
  CHECK(advice_for(leased(), ProcessState::elsewhere) == "nothing: its heartbeat is fresh");
}

TEST_CASE("advice: a late heartbeat is told with the host to look on") {
  SessionInfo session = leased();
  session.heartbeat_age = 11s;
  CHECK_THAT(advice_for(session, ProcessState::elsewhere), Catch::Contains("look on edge-7"));
  CHECK_THAT(advice_for(session, ProcessState::running), Catch::Contains("cut off"));
  CHECK_THAT(advice_for(session, ProcessState::running), Catch::Contains("time-out of 30s"));
}

TEST_CASE("advice: whoever is heard without a heartbeat for a whole time-out hangs") {
  SessionInfo session = leased();
  session.heartbeat_age = 31s;
  CHECK_THAT(advice_for(session, ProcessState::elsewhere), Catch::Contains("hangs"));
}

TEST_CASE("advice: a session that holds nothing needs none, and sends no heartbeat") {
  SessionInfo session = leased();
  session.locks = 0;
  session.heartbeat_age.reset();
  CHECK(advice_for(session, ProcessState::elsewhere) == "nothing: it holds nothing");
}

TEST_CASE("advice: the same end of a process is told differently with and without a lease") {
  const SessionInfo with = leased();
  SessionInfo without = leased();
  without.timeout.reset();
  without.heartbeat_age.reset();
  for (const ProcessState state : {ProcessState::stopped, ProcessState::gone}) {
    CHECK_THAT(advice_for(with, state), Catch::Contains("time-out of 30s"));
    CHECK_THAT(advice_for(without, state), !Catch::Contains("time-out"));
  }
}

TEST_CASE("advice: foreign, broken and dead ones are told apart whatever their process") {
  SessionInfo foreign = leased();
  foreign.foreign = true;
  SessionInfo broken = leased();
  broken.broken = true;
  SessionInfo dead = leased();
  dead.alive = false;
  std::set<std::string> said;
  for (const ProcessState state : all_states) {
    for (const SessionInfo& session : {foreign, broken, dead})
      said.insert(advice_for(session, state));
  }
  CHECK(said.size() == 3);
}
