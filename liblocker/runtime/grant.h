#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include <locker/fencing_token.h>
#include <locker/lock_handle.h>

#include "runtime/lifeline.h"
#include "runtime/lock_backend.h"

namespace locker::runtime {

// A granted request. Several handles of one owner may count on it. Made on the runtime's thread;
// every const member may be called from any thread.
class Grant {
 public:
  Grant(RequestPtr request, Joined joined, LifelinePtr lifeline, bool escalated);

  const Request& request() const { return *request_; }
  // Whose it is now; runtime's thread only.
  const std::string& owner_id() const { return owner_id_; }
  void give_to(const std::string& owner_id) { owner_id_ = owner_id; }
  const std::vector<core::Ticket>& tickets() const { return joined_.tickets; }
  const LifelinePtr& lifeline() const { return lifeline_; }
  bool escalated() const { return escalated_; }

  // Whether its holder may still write.
  bool held() const { return !ended_.load() && lifeline_->valid(); }
  LockState state() const;
  Milliseconds valid_for() const;
  FencingToken token() const;  // the greatest
  std::vector<GrantedMember> members() const;
  // The places with their present modes.
  std::vector<core::Place> places() const;
  // Whether it gives everything that `wanted` asks for.
  bool covers(const std::vector<core::Place>& wanted) const;

  // Whether it stands on tickets of another process, whose owner it inherited.
  bool borrowed() const { return borrowed_; }
  void borrow() { borrowed_ = true; }

  // From the sending of a downgrade on it is shared.
  void lower() { lowered_.store(true); }
  // It ended: lost (with why) or released. The first ending counts.
  void end(LockState state, const Error& why);
  std::optional<Error> why_ended() const;

  // Requested when it ends.
  std::stop_token stop_token() const { return stop_.get_token(); }
  // Called once when it is lost; at once if it is already.
  void add_callback(std::function<void(const Error&)> callback);

  // How many handles count on it; runtime's thread only.
  int holds = 0;
  // Told of its lease as long as it is there; runtime's thread only.
  std::vector<std::shared_ptr<const Lifeline::Renewed>> renewals;

  // Whether a handle's share was let go, by the handle or by name; whoever sets it lets go.
  using Share = std::shared_ptr<std::atomic<bool>>;
  // The share of one more handle. Runtime's thread only.
  Share add_share();
  // Lets go of the newest share, but not of the grant: the caller releases it. False: all shares
  // are let go already. Runtime's thread only.
  bool end_newest_share();

 private:
  RequestPtr request_;
  std::string owner_id_;
  Joined joined_;
  LifelinePtr lifeline_;
  bool escalated_ = false;
  bool borrowed_ = false;
  std::atomic<bool> lowered_{false};
  std::atomic<bool> ended_{false};
  std::stop_source stop_;
  std::vector<std::weak_ptr<std::atomic<bool>>> shares_;  // in the order of their granting
  mutable std::mutex mutex_;                              // guards what follows
  LockState final_state_ = LockState::held;
  std::optional<Error> why_;
  std::vector<std::function<void(const Error&)>> callbacks_;
};
using GrantPtr = std::shared_ptr<Grant>;

}  // namespace locker::runtime
