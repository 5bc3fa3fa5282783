#pragma once

#include <memory>

#include "api/locker_thread.h"
#include "runtime/grant.h"

namespace locker::runtime {

// What a LockHandle points to: its share of a grant.
class HandleState {
 public:
  // Made on the locker's thread.
  HandleState(LockerThreadPtr thread, GrantPtr grant, Owner owner)
      : thread_(std::move(thread)),
        grant_(std::move(grant)),
        owner_(std::move(owner)),
        released_(grant_->add_share()) {}
  ~HandleState() { unlock_in_background(); }

  const Grant& grant() const { return *grant_; }
  Grant& grant() { return *grant_; }
  const GrantPtr& shared_grant() const { return grant_; }
  const Owner& owner() const { return owner_; }
  bool released() const { return released_->load(); }

  // Each of these releases once; the second answers `invalid`.
  Pending<void> async_unlock();
  Result<void> unlock();
  void unlock_in_background();
  Result<void> downgrade();
  Result<void> give_to(const Owner& owner);
  void on_renewed(std::function<void(std::chrono::milliseconds)> callback);

 private:
  LockerThreadPtr thread_;
  GrantPtr grant_;
  Owner owner_;
  Grant::Share released_;  // also set by who unlocks by name
};

}  // namespace locker::runtime
