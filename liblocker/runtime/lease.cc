#include "runtime/lease.h"

#include <algorithm>

namespace locker::runtime {

void Lease::answered(BootTime sent, BootTime answered) {
  answers_.push_back({sent, answered});
  // An idle session only reads: of the answers that are old enough for any write that can still be
  // confirmed, the newest is the only one that will ever count.
  const BootTime old_enough = answered - LeaseRule::settle(timeout_) - timeout_;
  while (answers_.size() > 1 && answers_[1].answered <= old_enough) answers_.pop_front();
}

void Lease::confirmed(BootTime sent) {
  const BootTime old_enough = sent - LeaseRule::settle(timeout_);
  while (!answers_.empty() && answers_.front().answered <= old_enough) {
    basis_ = std::max(basis_, answers_.front().sent);
    answers_.pop_front();
  }
}

}  // namespace locker::runtime
