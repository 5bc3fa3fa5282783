#include "tests/conformance/ask.h"

#include <condition_variable>
#include <coroutine>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace locker::conformance {
namespace {

Pending<LockHandle> answer_of(Pending<LockHandle> pending) {
  return pending;
}

}  // namespace

struct Ask::Slot {
  std::mutex mutex;
  std::condition_variable filled;
  std::optional<Result<LockHandle>> result;
  bool taken = false;
};

// A coroutine that starts at once and that nobody waits for.
struct Ask::Waiting {
  struct promise_type {
    Waiting get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

Ask::Waiting Ask::deliver(Pending<LockHandle> pending, std::shared_ptr<Slot> slot) {
  Result<LockHandle> result = co_await answer_of(pending);
  fill(*slot, std::move(result));
}

Ask::Waiting Ask::ask_and_deliver(PartitionLocker& locker, PartitionSpec resource,
                                  std::shared_ptr<Slot> slot) {
  Result<LockHandle> result = co_await locker.async_lock(resource);
  fill(*slot, std::move(result));
}

void Ask::fill(Slot& slot, Result<LockHandle> result) {
  const std::scoped_lock lock(slot.mutex);
  slot.result.emplace(std::move(result));
  slot.filled.notify_all();
}

Ask::Ask(PartitionLocker& locker, const Wanted& wanted, const LockOptions& options)
    : slot_(std::make_shared<Slot>()) {
  deliver(locker.async_lock(wanted.members, options), slot_);
}

Ask::Ask(PartitionLocker& locker, const PartitionSpec& resource) : slot_(std::make_shared<Slot>()) {
  ask_and_deliver(locker, resource, slot_);
}

bool Ask::ready() const {
  const std::scoped_lock lock(slot_->mutex);
  return slot_->result.has_value();
}

Result<LockHandle> Ask::answer(std::chrono::milliseconds bound) {
  std::unique_lock lock(slot_->mutex);
  const bool there =
      slot_->filled.wait_for(lock, bound, [this] { return slot_->result.has_value(); });
  if (!there) return make_error(Errc::internal, "no answer came within the liveness bound");
  if (std::exchange(slot_->taken, true)) {
    return make_error(Errc::internal, "the answer was taken before");
  }
  return std::move(*slot_->result);
}

}  // namespace locker::conformance
