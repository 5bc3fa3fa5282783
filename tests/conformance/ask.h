#pragma once

#include <chrono>
#include <memory>

#include <locker/partition_locker.h>

namespace locker::conformance {

// What to lock: a resource, exclusive unless said otherwise, or a set.
struct Wanted {
  Wanted(const PartitionSpec& resource, LockMode mode = LockMode::exclusive)
      : members{{resource, mode}} {}
  Wanted(LockSet set) : members(std::move(set)) {}

  LockSet members;
};

// Reads better than a mode at the end of a line.
inline Wanted shared(const PartitionSpec& resource) {
  return {resource, LockMode::shared};
}

// A lock on its way: an awaitable that a coroutine of its own awaits.
class Ask {
 public:
  // Asks for the lock now. Without an owner in `options` the request is an owner of its own.
  Ask(PartitionLocker& locker, const Wanted& wanted, const LockOptions& options);
  // The same without options, asked and awaited in one expression as most users write it.
  Ask(PartitionLocker& locker, const PartitionSpec& resource);

  // Whether the answer is there.
  bool ready() const;
  // Takes the answer, waiting for it at most `bound`; none by then is an `internal` error.
  Result<LockHandle> answer(std::chrono::milliseconds bound);

 private:
  struct Slot;
  struct Waiting;
  static Waiting ask_and_deliver(PartitionLocker& locker, PartitionSpec resource,
                                 std::shared_ptr<Slot> slot);
  static void fill(Slot& slot, Result<LockHandle> result);
  static Waiting deliver(Pending<LockHandle> pending, std::shared_ptr<Slot> slot);

  std::shared_ptr<Slot> slot_;
};

}  // namespace locker::conformance
