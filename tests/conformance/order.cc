#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

void first_come_first_served(Bench& bench) {
  constexpr std::size_t count = 12;
  const PartitionSpec resource = bench.table().with("dt", "1");
  std::deque<Party> parties;
  for (std::size_t i = 0; i < 3; ++i) parties.emplace_back(bench);
  LockHandle held = parties[0].hold(resource);
  std::deque<Ask> asks;
  for (std::size_t i = 0; i < count; ++i) {
    LockOptions options;
    options.owner = Owner::create();
    asks.push_back(parties[i % parties.size()].queue(resource, i, options));
  }
  while (!asks.empty()) {
    bench.ok(held.unlock(), "each holder can unlock");
    held = bench.granted(asks.front(), "the waiter that came first is next");
    asks.pop_front();
    bench.expect(std::ranges::none_of(asks, &Ask::ready), "no later waiter is granted with it");
  }
}

void readers_and_writers_in_order(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party w1(bench);
  Party r1(bench);
  Party w2(bench);
  Party r2(bench);
  LockHandle first = w1.hold(resource);
  Ask reader = r1.queue(shared(resource), 0);
  Ask writer = w2.queue(resource, 1);
  Ask late_reader = r2.queue(shared(resource), 2);

  bench.ok(first.unlock(), "W1 lets go");
  LockHandle second = bench.granted(reader, "R1 follows W1");
  bench.expect(bench.waiters(resource).size() == 2, "W2 and R2 wait on while R1 holds");
  bench.expect(!late_reader.ready(), "R2 does not overtake W2 to join R1");
  bench.ok(second.unlock(), "R1 lets go");
  LockHandle third = bench.granted(writer, "W2 follows R1");
  bench.expect(!late_reader.ready(), "R2 waits for W2");
  bench.ok(third.unlock(), "W2 lets go");
  bench.granted(late_reader, "R2 follows W2");
}

void readers_share(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  std::deque<Party> readers;
  std::vector<LockHandle> handles;
  for (int i = 0; i < 5; ++i) {
    handles.push_back(readers.emplace_back(bench).hold(shared(resource)));
  }
  bench.expect(bench.holders(resource).size() == 5, "five readers hold at once");
  Party writer(bench);
  bench.ended(writer.attempt(resource), Errc::timeout, "a writer is refused beside readers");
  Ask waiting = writer.queue(resource, 0);
  for (LockHandle& handle : handles) {
    bench.expect(!waiting.ready(), "the writer waits for every reader");
    bench.ok(handle.unlock(), "a reader lets go");
  }
  LockHandle held = bench.granted(waiting, "the writer is granted after the last reader");
  bench.ended(readers.front().attempt(shared(resource)), Errc::timeout,
              "a reader is refused beside the writer");
}

void later_readers_wait(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party early(bench);
  Party writer(bench);
  Party late(bench);
  LockHandle reading = early.hold(shared(resource));
  Ask writing = writer.queue(resource, 0);
  std::deque<Ask> readers;
  for (std::size_t i = 0; i < 10; ++i) {
    LockOptions options;
    options.owner = Owner::create();
    readers.push_back(late.queue(shared(resource), i + 1, options));
  }
  bench.ok(reading.unlock(), "the early reader lets go");
  LockHandle held = bench.granted(writing, "the writer is granted before readers that came later");
  bench.expect(std::ranges::none_of(readers, &Ask::ready), "they wait for the writer");
  bench.ok(held.unlock(), "the writer lets go");
  std::vector<LockHandle> handles;
  for (Ask& reader : readers) {
    handles.push_back(bench.granted(reader, "all later readers are granted together"));
  }
}

void endless_readers_starve_nobody(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party writer(bench);
  PartitionLocker locker = bench.locker();
  std::atomic<bool> over = false;
  std::atomic<int> turns = 0;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 10; ++i) {
    readers.emplace_back([&] {
      while (!over) {
        LockOptions options;
        options.timeout = bench.bound(3);
        const Result<LockHandle> handle =
            locker.lock(LockSet{{resource, LockMode::shared}}, options);
        if (!bench.expect(handle.has_value(), "a reader is granted in the end")) return;
        ++turns;
      }
    });
  }
  bench.until([&] { return turns > 20; });
  for (int i = 0; i < 5; ++i) {
    Result<LockHandle> handle = writer.ask(resource).answer(bench.bound());
    bench.expect(handle.has_value(), "a writer is granted among endless readers");
  }
  over = true;
}

void leaving_frees_those_behind(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle reading = a.hold(shared(resource));
  std::stop_source stop;
  LockOptions options;
  options.cancel = stop.get_token();
  Ask writer = b.queue(resource, 0, options);
  Ask reader = c.queue(shared(resource), 1);
  stop.request_stop();
  bench.ended(writer, Errc::cancelled, "the writer between leaves");
  bench.granted(reader, "the reader behind it joins the reader that holds");
}

constexpr Check topic[] = {
    {"exclusive waiters are served in the order of their coming", "", Needs::order,
     first_come_first_served},
    {"W1, R1, W2, R2 hold in that order", "L14", Needs::order, readers_and_writers_in_order},
    {"readers hold together and a writer waits for all of them", "", Needs::shared, readers_share},
    {"a writer waits for no reader that came after it", "L14", Needs::order, later_readers_wait},
    {"readers that come for ever starve no writer", "L14", Needs::order,
     endless_readers_starve_nobody},
    {"a waiter that gives up frees those behind it at once", "", Needs::shared,
     leaving_frees_those_behind},
};

}  // namespace

std::span<const Check> order_checks() {
  return topic;
}

}  // namespace locker::conformance
