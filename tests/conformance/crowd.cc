#include <algorithm>
#include <deque>
#include <filesystem>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

// Waiters for one resource, each an owner of its own.
std::deque<Ask> crowd(Party& party, const PartitionSpec& resource, int count,
                      const LockOptions& options) {
  std::deque<Ask> asks;
  for (int i = 0; i < count; ++i) asks.emplace_back(party.locker, resource, options);
  return asks;
}

void failed_waits_leave_nothing(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(resource);
  LockOptions hasty;
  hasty.timeout = std::chrono::milliseconds(200);
  std::stop_source stop;
  LockOptions cancellable;
  cancellable.cancel = stop.get_token();
  std::deque<Ask> patient = crowd(b, resource, 50, cancellable);
  std::deque<Ask> impatient = crowd(b, resource, 50, hasty);
  for (Ask& ask : impatient) bench.ended(ask, Errc::timeout, "a short wait times out");
  stop.request_stop();
  for (Ask& ask : patient) bench.ended(ask, Errc::cancelled, "a long wait is cancelled");
  // A hundred leave at once; on a slow machine the last of them are told before they are gone.
  bench.must(bench.until([&] { return bench.listed(resource).size() == 1; }),
             "only the holder is left in the queue");
  bench.ok(held.unlock(), "the holder lets go");
  bench.granted(b.attempt(resource), "the next asker takes it at once");
}

void waits_cost_no_threads(Bench& bench) {
  constexpr int count = 500;
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(resource);
  // The third locker, which looks at the queue, opens with its first look.
  bench.must(bench.waiters(resource).empty(), "nobody waits yet");
  const std::size_t before = threads_of_this_process();
  std::deque<Ask> asks = crowd(b, resource, count, {});
  bench.must(bench.until([&] { return bench.waiters(resource).size() == count; }, 6),
             "five hundred waiters stand in the queue");
  const std::size_t threads = threads_of_this_process();
  bench.expect(threads <= before, "five hundred waits use no thread of their own; they use " +
                                      std::to_string(threads - before));
  // This one, and those of three lockers: a process with one locker has at most five.
  bench.expect(threads <= 1 + 3 * 4, "a locker has at most four threads; three of them have " +
                                         std::to_string(threads - 1));
  bench.ok(held.unlock(), "the holder lets go");
  // Within one process the order may be another than that of the calls.
  while (!asks.empty()) {
    bench.must(bench.until([&] { return std::ranges::any_of(asks, &Ask::ready); }),
               "each waiter is granted in the end");
    const auto ready = std::ranges::find_if(asks, &Ask::ready);
    bench.granted(*ready, "each waiter is granted in its turn");
    asks.erase(ready);
  }
}

void too_many_waits_are_refused(Bench& bench) {
  constexpr int limit = 4000;
  const PartitionSpec database = bench.database();
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(database);
  std::stop_source stop;
  LockOptions options;
  options.cancel = stop.get_token();
  std::deque<Ask> asks;
  for (int i = 0; i < limit; ++i) {
    const PartitionSpec table(database.database(), "t" + std::to_string(i));
    asks.emplace_back(b.locker, table, options);
  }
  Ask late(b.locker, PartitionSpec(database.database(), "late"), options);
  bench.ended(late.answer(bench.bound(12)), Errc::rate_limited,
              "the waiting request over four thousand is refused");
  bench.expect(std::ranges::none_of(asks, &Ask::ready), "those before it wait on");
  stop.request_stop();
  for (Ask& ask : asks) {
    bench.ended(ask.answer(bench.bound(12)), Errc::cancelled, "each of them can be cancelled");
  }
  bench.expect(bench.until([&] { return bench.listed(database).size() == 1; }),
               "and leaves nothing");
  bench.ok(held.unlock(), "the holder lets go");
  Ask again = b.ask(PartitionSpec(database.database(), "late"));
  bench.granted(again, "the locker serves as before");
}

constexpr Check topic[] = {
    {"fifty time-outs and fifty cancelled waits leave nothing", "L09 R15", Needs::exclusion,
     failed_waits_leave_nothing},
    {"five hundred waits of one process cost no threads", "", Needs::exclusion,
     waits_cost_no_threads},
    {"a waiting request over four thousand is refused", "", Needs::hierarchy,
     too_many_waits_are_refused},
};

}  // namespace

std::span<const Check> crowd_checks() {
  return topic;
}

}  // namespace locker::conformance
