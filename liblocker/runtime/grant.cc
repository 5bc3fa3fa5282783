#include "runtime/grant.h"

#include <algorithm>
#include <utility>

namespace locker::runtime {

Grant::Grant(RequestPtr request, Joined joined, LifelinePtr lifeline, bool escalated)
    : request_(std::move(request)),
      owner_id_(request_->owner.owner),
      joined_(std::move(joined)),
      lifeline_(std::move(lifeline)),
      escalated_(escalated) {}

LockState Grant::state() const {
  if (ended_.load()) {
    const std::scoped_lock lock(mutex_);
    return final_state_;
  }
  if (!lifeline_->valid()) return LockState::lost;
  return lifeline_->in_contact() ? LockState::held : LockState::suspended;
}

Milliseconds Grant::valid_for() const {
  return ended_.load() ? Milliseconds::zero() : lifeline_->valid_for();
}

FencingToken Grant::token() const {
  return *std::ranges::max_element(joined_.tokens);
}

std::vector<core::Place> Grant::places() const {
  std::vector<core::Place> places = request_->places;
  if (lowered_.load()) {
    for (core::Place& place : places) place.mode = LockMode::shared;
  }
  return places;
}

std::vector<GrantedMember> Grant::members() const {
  std::vector<GrantedMember> members;
  const std::vector<core::Place> present = places();
  for (std::size_t i = 0; i < present.size(); ++i) {
    Result<PartitionSpec> spec = present[i].resource.spec();
    members.push_back({spec ? *std::move(spec) : PartitionSpec(), present[i].mode,
                       i < joined_.tokens.size() ? joined_.tokens[i] : token()});
  }
  return members;
}

bool Grant::covers(const std::vector<core::Place>& wanted) const {
  const std::vector<core::Place> present = places();
  return std::ranges::all_of(wanted, [&](const core::Place& want) {
    return std::ranges::any_of(present, [&](const core::Place& have) {
      return have.resource.covers(want.resource) && at_least(have.mode, want.mode);
    });
  });
}

Grant::Share Grant::add_share() {
  std::erase_if(shares_, [](const auto& share) { return share.expired(); });
  auto share = std::make_shared<std::atomic<bool>>(false);
  shares_.push_back(share);
  return share;
}

bool Grant::end_newest_share() {
  while (!shares_.empty()) {
    const Share share = shares_.back().lock();
    shares_.pop_back();
    if (share != nullptr && !share->exchange(true)) return true;
  }
  return false;
}

void Grant::end(LockState state, const Error& why) {
  std::vector<std::function<void(const Error&)>> callbacks;
  {
    const std::scoped_lock lock(mutex_);
    if (ended_.load()) return;
    final_state_ = state;
    why_ = why;
    ended_.store(true);
    callbacks = std::exchange(callbacks_, {});
  }
  stop_.request_stop();
  if (state != LockState::lost) return;
  for (const auto& callback : callbacks) callback(why);
}

std::optional<Error> Grant::why_ended() const {
  const std::scoped_lock lock(mutex_);
  return why_;
}

void Grant::add_callback(std::function<void(const Error&)> callback) {
  {
    const std::scoped_lock lock(mutex_);
    if (!ended_.load()) {
      callbacks_.push_back(std::move(callback));
      return;
    }
    if (final_state_ != LockState::lost) return;
  }
  callback(*why_ended());
}

}  // namespace locker::runtime
