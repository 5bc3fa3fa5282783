#include <algorithm>
#include <deque>
#include <thread>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

PartitionSpec day(const PartitionSpec& table, std::size_t number) {
  return PartitionSpec(table).with("dt", std::to_string(number));
}

// Parties in a ring: each holds its own partition and waits for the next one's.
void ring_of(Bench& bench, std::size_t count) {
  const PartitionSpec table = bench.table();
  std::deque<Party> parties;
  std::vector<LockHandle> held;
  for (std::size_t i = 0; i < count; ++i) {
    held.push_back(parties.emplace_back(bench).hold(day(table, i)));
  }
  std::deque<Ask> asks;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    asks.push_back(parties[i].queue(day(table, i + 1), 0));
  }
  Ask closing = parties[count - 1].ask(day(table, 0));
  const Error error =
      bench.ended(closing, Errc::deadlock, "the request that closes a cycle is its victim");
  bench.expect(std::ranges::none_of(asks, &Ask::ready), "the others wait on");
  bench.expect(bench.waiters(table).size() == count - 1, "nothing is left of the victim's request");

  bench.must(error.detail != nullptr, "a deadlock knows its cycle");
  for (const Party& party : parties) {
    bench.expect(std::ranges::any_of(error.detail->holders,
                                     [&](const Contender& contender) {
                                       return contender.owner.owner == party.owner.id();
                                     }),
                 "everybody in the cycle is named");
  }
  bench.expect(error.message.find(table.table()) != std::string::npos,
               "the sentence names what they wait for");

  bench.ok(held.back().unlock(), "the victim lets go of what it holds");
  for (std::size_t i = count - 1; i > 0; --i) {
    LockHandle next = bench.granted(asks[i - 1], "the rest of the ring proceeds");
    bench.ok(next.unlock(), "a second lock is let go");
    bench.ok(held[i - 1].unlock(), "a first lock is let go");
  }
}

void cycle_of_two(Bench& bench) {
  ring_of(bench, 2);
}

void cycle_of_four(Bench& bench) {
  ring_of(bench, 4);
}

void cycle_through_a_table(Bench& bench) {
  const PartitionSpec one = bench.table();
  const PartitionSpec two = bench.table();
  Party a(bench);
  Party b(bench);
  LockHandle first = a.hold(day(one, 1));
  LockHandle second = b.hold(day(two, 1));
  Ask waiting = a.queue(two, 0);
  Ask closing = b.ask(LockSet{{day(one, 1)}, {day(one, 2)}});
  bench.ended(closing, Errc::deadlock, "a cycle through a table's lock and a set is seen");
  bench.ok(second.unlock(), "the victim lets go");
  bench.granted(waiting, "the other is granted");
}

void cycle_through_a_queue(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec p = day(table, 1);
  const PartitionSpec q = day(table, 2);
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle first = a.hold(shared(p));
  LockHandle second = c.hold(q);
  // B holds nothing, but its place in the queue of p is in C's way, and B waits for A.
  Ask between = b.queue(p, 0);
  Ask waiting = a.queue(q, 0);
  Ask closing = c.ask(shared(p));
  bench.ended(closing, Errc::deadlock, "a cycle through somebody who only waits is seen");
  bench.ok(second.unlock(), "the victim lets go");
  LockHandle granted = bench.granted(waiting, "A is granted");
  bench.ok(first.unlock(), "A lets go");
  bench.granted(between, "B is granted");
}

void the_victim_can_start_again(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  Party b(bench);
  LockHandle first = a.hold(day(table, 1));
  LockHandle second = b.hold(day(table, 2));
  Ask waiting = a.queue(day(table, 2), 0);
  Ask closing = b.ask(day(table, 1));
  bench.ended(closing, Errc::deadlock, "the second is the victim");
  bench.ok(second.unlock(), "it lets go");
  Ask again = b.ask(LockSet{{day(table, 1)}, {day(table, 2)}});
  LockHandle both = bench.granted(waiting, "the first is granted");
  bench.ok(both.unlock(), "the first lets go of both");
  bench.ok(first.unlock(), "the first lets go of both");
  bench.granted(again, "the victim gets both at once");
}

// Threads that lock in one global order, holding while they wait: no cycle can ever be.
void climb(Bench& bench, PartitionLocker& locker, const PartitionSpec& table, int rounds,
           std::size_t start) {
  LockOptions options;
  options.timeout = bench.bound(6);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t lower = (start + static_cast<std::size_t>(round)) % 3;
    Result<LockHandle> one = locker.lock(day(table, lower), options);
    if (!bench.expect(one.has_value(), one ? "" : one.error().message)) return;
    Result<LockHandle> two = locker.lock(day(table, 3), options);
    if (!bench.expect(two.has_value(), two ? "" : two.error().message)) return;
  }
}

void no_false_alarm(Bench& bench) {
  constexpr int rounds = 125;
  const PartitionSpec table = bench.table();
  PartitionLocker one = bench.locker();
  PartitionLocker two = bench.locker();
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    for (PartitionLocker* locker : {&one, &two}) {
      threads.emplace_back([&, locker, i] { climb(bench, *locker, table, rounds, i); });
    }
  }
}

constexpr Check topic[] = {
    {"a cycle of two ends its youngest request at once", "L25", Needs::exclusion, cycle_of_two},
    {"a cycle of four ends its youngest request at once", "L25", Needs::exclusion, cycle_of_four},
    {"a cycle through a table and a set is seen", "L25", Needs::hierarchy, cycle_through_a_table},
    {"a cycle through a waiter that holds nothing is seen", "L25", Needs::order,
     cycle_through_a_queue},
    {"a victim that lets go can start again", "L25", Needs::sets, the_victim_can_start_again},
    {"a thousand waits without a cycle raise no alarm", "L25", Needs::exclusion, no_false_alarm},
};

}  // namespace

std::span<const Check> deadlock_checks() {
  return topic;
}

}  // namespace locker::conformance
