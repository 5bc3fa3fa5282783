#pragma once

#include <deque>

#include "runtime/clock.h"

namespace locker::runtime {

// The fractions of a session time-out T that every belief rests on. All of them stand here, and
// lease_test.cc computes what they leave: at least 0.4 T in health.
struct LeaseRule {
  // A heartbeat, or a read of an idle session, is sent every T/6.
  static constexpr Milliseconds beat_every(Milliseconds timeout) { return timeout / 6; }
  // How much older than a confirmed write an answered operation must be to count: a follower tells
  // the leader of our life only when it answers the leader's next ping.
  static constexpr Milliseconds settle(Milliseconds timeout) { return timeout / 4; }
  // T less a tenth, since clocks may differ in rate.
  static constexpr Milliseconds trust(Milliseconds timeout) { return timeout - timeout / 10; }
  // How long before the end of its belief a holder is told to stop that only does so on a word: a
  // command is sent TERM when the basis is 0.8 T old, and killed at 0.9 T.
  static constexpr Milliseconds stopping(Milliseconds timeout) { return timeout / 10; }
};

// How long a session may be believed in without hearing from anyone. Pure: it is told what was sent
// and answered, in boot time, and reads no clock.
//
// The basis is the sending of the newest operation that was answered at least settle(T) before a
// write was sent which has been confirmed since. The last confirmed write alone proves nothing: the
// follower that confirmed it may die before it tells the leader that we live, and the leader counts
// from what it was told.
class Lease {
 public:
  // `opened` is the time just before the connection was asked for. Making a session touches the
  // leader itself, so it counts as an operation that is old enough for any write.
  Lease(Milliseconds timeout, BootTime opened) : timeout_(timeout), basis_(opened) {}

  // An operation, sent and answered at these times, of whatever kind.
  void answered(BootTime sent, BootTime answered);
  // A write that was sent then has been confirmed by the quorum.
  void confirmed(BootTime sent);

  // When the belief ends.
  BootTime valid_until() const { return basis_ + LeaseRule::trust(timeout_); }

 private:
  struct Answer {
    BootTime sent;
    BootTime answered;
  };

  Milliseconds timeout_;
  BootTime basis_;
  std::deque<Answer> answers_;  // those not yet old enough for any write, in order of answer
};

}  // namespace locker::runtime
