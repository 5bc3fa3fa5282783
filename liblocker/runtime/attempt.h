#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <locker/owner.h>
#include <locker/partition_locker.h>
#include <locker/result.h>

#include "runtime/clock.h"
#include "runtime/grant.h"

namespace locker::runtime {

// What a caller asks for, whole, and the answer that it waits for. Requests are never cancelled,
// waits are: a caller may leave, and the attempt goes on until its tickets are a grant or are gone.
struct Attempt {
  // The question; it does not change.
  LockSet members;
  Owner owner;
  std::string reason;
  bool tries = false;  // takes it now or writes nothing
  Milliseconds timeout{0};
  std::function<void(const WaitStatus&)> on_waiting;

  // What happens while it is worked on; the runtime's thread only.
  std::optional<Deadline> deadline;  // nothing until the wait has begun
  Alarm deadline_alarm;              // sets `wake`
  Alarm hard_stop_alarm;             // sets `answered`: the caller is told, whatever goes on
  Alarm cancel_alarm;                // likewise, once the caller has left; whichever comes first
  bool owner_holds = false;          // at its start: then the end of the session is its end too
  bool caller_left = false;
  // The caller left, the deadline came, a watch fired, or the session was lost: look again.
  EventPtr wake;
  EventPtr answered;
  std::optional<Result<GrantPtr>> answer;
  // Those who were ahead at the last look; the time-out's text names them.
  WaitStatus seen;
  bool has_looked = false;

  bool over() const { return answer.has_value(); }
  // The first answer counts.
  void finish(Result<GrantPtr> result) {
    if (answer.has_value()) return;
    answer.emplace(std::move(result));
    answered->set();
  }
};
using AttemptPtr = std::shared_ptr<Attempt>;

}  // namespace locker::runtime
