#include <algorithm>
#include <thread>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

// A plain variable that only the lock guards; an overlap of two holders loses counts.
struct Guarded {
  long count = 0;

  void raise() {
    const long seen = count;
    std::this_thread::yield();
    count = seen + 1;
  }
};

void raise_under_lock(Bench& bench, PartitionLocker& locker, const PartitionSpec& resource,
                      Guarded& guarded, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    LockOptions options;
    options.timeout = bench.bound(6);
    Result<LockHandle> handle = locker.lock(resource, options);
    if (!bench.expect(handle.has_value(), "every blocking lock is granted in the end")) return;
    guarded.raise();
    // The handle's destructor lets go as well as `unlock` does.
    if (round % 2 == 0) bench.ok(handle->unlock(), "a held lock can be unlocked");
  }
}

void threads_exclude_each_other(Bench& bench) {
  constexpr int threads_each = 4;
  constexpr int rounds = 625;
  const PartitionSpec resource = bench.table().with("dt", "20230501");
  PartitionLocker one = bench.locker();
  PartitionLocker two = bench.locker();
  Guarded guarded;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < threads_each; ++i) {
      for (PartitionLocker* locker : {&one, &two}) {
        threads.emplace_back(
            [&, locker] { raise_under_lock(bench, *locker, resource, guarded, rounds); });
      }
    }
  }
  bench.expect(guarded.count == 2L * threads_each * rounds,
               "no count is lost under the lock; counted " + std::to_string(guarded.count));
}

void busy_is_told_at_once(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(resource);
  bench.ended(b.attempt(resource), Errc::timeout, "a held partition is refused to a try");
  bench.ok(held.unlock(), "the holder can unlock");
  bench.granted(b.attempt(resource), "a free partition is granted to a try");
}

void waiter_follows_holder(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(resource);
  Ask waiting = b.queue(resource, 0);
  bench.expect(!waiting.ready(), "a waiter is not granted beside the holder");
  bench.ok(held.unlock(), "the holder can unlock");
  LockHandle next = bench.granted(waiting, "the waiter is granted after the holder");
  bench.expect(next.held() && !held.held(), "exactly the second handle is held then");
}

void try_lock_of_another_thread(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  PartitionLocker locker = bench.locker();
  LockHandle held = bench.granted(locker.try_lock(resource), "a free partition is taken by a try");
  std::jthread([&] {
    bench.ended(locker.try_lock(resource), Errc::timeout,
                "another thread of the same locker is refused");
  }).join();
}

void awaitables_without_owner(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  PartitionLocker locker = bench.locker();
  Ask first(locker, resource, {});
  LockHandle held = bench.granted(first, "the first awaitable is granted");
  Ask second(locker, resource, {});
  bench.await_waiters(resource, 1);
  bench.expect(!second.ready(), "a second awaitable on the same thread waits for the first");
  bench.ok(held.unlock(), "the first lets go");
  bench.granted(second, "the second awaitable is granted then");
}

void chain_of_coroutines(Bench& bench) {
  constexpr int count = 50;
  const PartitionSpec resource = bench.table().with("dt", "1");
  PartitionLocker locker = bench.locker();
  std::vector<Ask> asks;
  for (int i = 0; i < count; ++i) asks.emplace_back(locker, resource);
  for (int i = 0; i < count; ++i) {
    bench.until([&] { return std::ranges::any_of(asks, &Ask::ready); });
    bench.must(std::ranges::count_if(asks, &Ask::ready) == 1, "one awaitable holds at a time");
    const auto ready = std::ranges::find_if(asks, &Ask::ready);
    bench.granted(*ready, "each awaitable is granted in its turn");
    asks.erase(ready);
  }
}

constexpr Check topic[] = {
    {"threads of two lockers exclude each other and no hand-off is lost", "L12 L16",
     Needs::exclusion, threads_exclude_each_other},
    {"a busy partition is told at once, a free one is taken", "", Needs::exclusion,
     busy_is_told_at_once},
    {"a waiter is granted after the holder and not beside it", "", Needs::exclusion,
     waiter_follows_holder},
    {"a try on another thread of one locker is refused", "L16", Needs::exclusion,
     try_lock_of_another_thread},
    {"two awaitables without an owner exclude each other", "L16", Needs::exclusion,
     awaitables_without_owner},
    {"fifty awaitables of one locker hold one at a time", "L16", Needs::exclusion,
     chain_of_coroutines},
};

}  // namespace

std::span<const Check> exclusion_checks() {
  return topic;
}

}  // namespace locker::conformance
