#include <locker/lock_handle.h>

#include <utility>

#include "api/handle_state.h"

namespace locker {
namespace runtime {
namespace {

Error nothing_held() {
  return make_error(Errc::invalid, "nothing is held: this handle is empty or was released before");
}

}  // namespace

Pending<void> HandleState::async_unlock() {
  if (released_->exchange(true)) {
    Pending<void> pending;
    pending.complete(nothing_held());
    return pending;
  }
  return thread_->run(thread_->engine()->release(grant_));
}

Result<void> HandleState::unlock() {
  if (thread_->on_own_thread()) {
    unlock_in_background();
    return {};
  }
  return async_unlock().get();
}

void HandleState::unlock_in_background() {
  if (released_->load()) return;
  const Pending<void> pending = async_unlock();
  static_cast<void>(pending);
}

Result<void> HandleState::downgrade() {
  if (released_->load()) return nothing_held();
  return thread_->run_and_wait(thread_->engine()->downgrade(grant_));
}

Result<void> HandleState::give_to(const Owner& owner) {
  if (released()) return nothing_held();
  Result<void> given = thread_->run_and_wait(thread_->engine()->give(grant_, owner));
  if (given) owner_ = owner;
  return given;
}

void HandleState::on_renewed(std::function<void(std::chrono::milliseconds)> callback) {
  const auto renewed = std::make_shared<const Lifeline::Renewed>(
      [tell = std::move(callback)](BootTime until) { tell(until.time_since_epoch()); });
  thread_->post([grant = grant_, renewed] {
    grant->renewals.push_back(renewed);
    grant->lifeline()->on_renewed(renewed);
  });
}

}  // namespace runtime

LockHandle::LockHandle(std::shared_ptr<runtime::HandleState> state) : state_(std::move(state)) {}

LockHandle& LockHandle::operator=(LockHandle&& other) noexcept {
  std::swap(state_, other.state_);
  LockHandle gone(std::exchange(other.state_, nullptr));
  return *this;
}

LockHandle::~LockHandle() {
  if (state_ == nullptr) return;
  const Result<void> released = state_->unlock();
  // There is nobody to tell: a lock that was lost is gone already, an unconfirmed release goes on.
  static_cast<void>(released);
}

LockState LockHandle::state() const {
  if (state_ == nullptr || state_->released()) return LockState::released;
  return state_->grant().state();
}

bool LockHandle::held() const {
  return state_ != nullptr && !state_->released() && state_->grant().held();
}

std::chrono::milliseconds LockHandle::valid_for() const {
  if (state_ == nullptr || state_->released()) return std::chrono::milliseconds(0);
  return state_->grant().valid_for();
}

std::string LockHandle::id() const {
  return state_ == nullptr ? std::string() : state_->grant().request().id;
}

FencingToken LockHandle::token() const {
  return state_ == nullptr ? FencingToken{} : state_->grant().token();
}

std::vector<GrantedMember> LockHandle::members() const {
  return state_ == nullptr ? std::vector<GrantedMember>() : state_->grant().members();
}

bool LockHandle::escalated() const {
  return state_ != nullptr && state_->grant().escalated();
}

Owner LockHandle::owner() const {
  return state_ == nullptr ? Owner() : state_->owner();
}

std::stop_token LockHandle::stop_token() const {
  return state_ == nullptr ? std::stop_token() : state_->grant().stop_token();
}

void LockHandle::on_lost(std::function<void(const Error&)> callback) {
  if (state_ != nullptr && !state_->released()) state_->grant().add_callback(std::move(callback));
}

void LockHandle::on_renewed(std::function<void(std::chrono::milliseconds)> callback) {
  if (state_ != nullptr && !state_->released()) state_->on_renewed(std::move(callback));
}

Result<void> LockHandle::downgrade() {
  return state_ == nullptr ? Result<void>(runtime::nothing_held()) : state_->downgrade();
}

Result<void> LockHandle::give_to(const Owner& owner) {
  return state_ == nullptr ? Result<void>(runtime::nothing_held()) : state_->give_to(owner);
}

Result<void> LockHandle::unlock() {
  return state_ == nullptr ? Result<void>(runtime::nothing_held()) : state_->unlock();
}

Pending<void> LockHandle::async_unlock() {
  if (state_ != nullptr) return std::exchange(state_, nullptr)->async_unlock();
  Pending<void> pending;
  pending.complete(runtime::nothing_held());
  return pending;
}

}  // namespace locker
