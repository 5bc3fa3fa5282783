#include <unistd.h>

#include <mutex>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

constexpr std::chrono::milliseconds brief(30);

void a_time_out_names_the_holder(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockOptions reasoned;
  reasoned.reason = "nightly load";
  Ask asked = a.ask(resource, reasoned);
  LockHandle held = bench.granted(asked, "the holder is granted");
  Ask waiting = b.queue(resource, 0);
  LockOptions options;
  options.timeout = brief;
  Ask late = c.ask(resource, options);
  const Error error = bench.ended(late, Errc::timeout, "a wait ends with its time-out");
  bench.must(error.detail != nullptr, "a time-out knows who holds");
  bench.must(error.detail->holders.size() == 1, "the one that holds, and not the waiter");
  const Contender& holder = error.detail->holders[0];
  bench.expect(holder.owner.owner == a.owner.id() && holder.request == held.id(), "by its ids");
  bench.expect(holder.owner.pid == getpid() && !holder.owner.host.empty(), "by host and pid");
  bench.expect(holder.owner.application == "conformance", "by its application");
  bench.expect(holder.owner.reason == "nightly load", "by its reason");
  bench.expect(error.detail->place == 2,
               "the waiter's place is told: one waiter and it were there");
  bench.expect(error.message.find(std::to_string(getpid())) != std::string::npos,
               "the sentence names the holder's process");
}

void a_try_writes_nothing(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(resource);
  for (int i = 0; i < 200; ++i) {
    const Error error =
        bench.ended(b.attempt(resource), Errc::timeout, "a try of a busy partition");
    bench.expect(error.detail != nullptr && error.detail->holders.size() == 1,
                 "a try is told who holds");
    bench.expect(bench.listed(resource).size() == 1, "a try leaves no trace");
  }
  bench.ok(held.unlock(), "the holder lets go");
  bench.granted(b.attempt(resource), "the partition is free after all the tries");
}

void a_try_of_a_fresh_table_fixes_nothing(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  Party b(bench);
  const LockHandle held = a.hold(table);
  bench.ended(b.attempt(PartitionSpec(table).with("dt", "1")), Errc::timeout, "the table is busy");
  bench.expect(!bench.value(bench.observer().table_columns(table), "columns are read").has_value(),
               "a refused try has not fixed the table's columns");
}

void cancelling_leaves_nothing(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle held = a.hold(resource);
  std::stop_source stop;
  LockOptions options;
  options.cancel = stop.get_token();
  Ask waiting = b.queue(resource, 0, options);
  Ask behind = c.queue(resource, 1);
  stop.request_stop();
  bench.ended(waiting, Errc::cancelled, "a wait ends by its stop token");
  bench.expect(bench.waiters(resource).size() == 1, "nothing of it is left in the queue");
  bench.ok(held.unlock(), "the holder lets go");
  bench.granted(behind, "who stood behind it is next");
}

void a_stopped_token_never_asks(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  const LockHandle held = a.hold(resource);
  std::stop_source stop;
  stop.request_stop();
  LockOptions options;
  options.cancel = stop.get_token();
  Ask asked = b.ask(resource, options);
  bench.ended(asked, Errc::cancelled, "a wait that was cancelled before it began");
  bench.expect(bench.listed(resource).size() == 1, "leaves nothing");
}

void waiters_see_their_place(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  std::mutex mutex;
  std::vector<WaitStatus> seen;
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle held = a.hold(resource);
  Ask first = b.queue(resource, 0);
  LockOptions options;
  options.on_waiting = [&](const WaitStatus& status) {
    const std::scoped_lock lock(mutex);
    seen.push_back(status);
  };
  const auto count = [&] {
    const std::scoped_lock lock(mutex);
    return seen.size();
  };
  Ask second = c.queue(resource, 1, options);
  bench.must(bench.until([&] { return count() >= 1; }), "a waiter is told when its wait begins");
  bench.ok(held.unlock(), "the holder lets go");
  LockHandle next = bench.granted(first, "the first waiter is granted");
  bench.must(bench.until([&] { return count() >= 2; }), "and told when somebody ahead has gone");
  bench.ok(next.unlock(), "the first waiter lets go");
  bench.granted(second, "the second waiter is granted");
  const std::scoped_lock lock(mutex);
  bench.expect(seen.front().place == 2, "two were ahead at first");
  bench.must(seen.front().holders.size() == 1, "one of them held");
  bench.expect(seen.front().holders[0].owner.owner == a.owner.id(), "and it was the holder");
  bench.expect(seen.back().place == 1, "one was ahead in the end");
}

void waits_for_ever(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(resource);
  LockOptions options;
  options.timeout = wait_for_ever;
  Ask waiting = b.queue(resource, 0, options);
  bench.expect(!waiting.ready(), "an infinite wait is a wait");
  bench.ok(held.unlock(), "the holder lets go");
  bench.granted(waiting, "it ends with the grant");
}

void explaining_writes_nothing(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec resource = PartitionSpec(table).with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(resource);
  Ask waiting = b.queue(table, 0);
  const std::vector<Contender> ahead =
      bench.value(bench.observer().blockers(LockSet{{resource}}), "blockers are told");
  bench.must(ahead.size() == 2, "the holder and the table's waiter are in the way");
  bench.expect(ahead[0].request == held.id() && ahead[0].holds, "the oldest first");
  bench.expect(ahead[1].owner.owner == b.owner.id() && !ahead[1].holds, "then the waiter");
  bench.expect(
      bench.value(bench.observer().blockers(LockSet{{resource}}, a.owner), "for an owner").size() ==
          1,
      "an owner's own lock is not in its way");
  bench.expect(bench.listed(table).size() == 2, "asking leaves nothing");
}

void waiting_until_free(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  LockHandle held = a.hold(resource);
  LockOptions options;
  options.owner = Owner::create();
  options.timeout = brief;
  bench.ended(bench.observer().wait_until_free(LockSet{{resource}}, options), Errc::timeout,
              "it is not free in time");
  bench.ok(held.unlock(), "the holder lets go");
  options.timeout = bench.bound();
  bench.ok(bench.observer().wait_until_free(LockSet{{resource}}, options), "it is free then");
  bench.expect(bench.listed(resource).empty(), "and nobody holds it");
}

constexpr Check topic[] = {
    {"a time-out names the holder and the waiter's place", "", Needs::exclusion,
     a_time_out_names_the_holder},
    {"a try of a busy partition leaves no trace", "R15", Needs::exclusion, a_try_writes_nothing},
    {"a refused try fixes no column order", "", Needs::hierarchy,
     a_try_of_a_fresh_table_fixes_nothing},
    {"a cancelled wait leaves nothing", "L09", Needs::exclusion, cancelling_leaves_nothing},
    {"a wait that was cancelled before it began never stands", "", Needs::exclusion,
     a_stopped_token_never_asks},
    {"a waiter is told its place and who holds", "", Needs::order, waiters_see_their_place},
    {"a wait without a deadline ends with the grant", "", Needs::exclusion, waits_for_ever},
    {"whom one would wait for is told without a trace", "", Needs::order,
     explaining_writes_nothing},
    {"waiting until something is free holds nothing", "", Needs::exclusion, waiting_until_free},
};

}  // namespace

std::span<const Check> waiting_checks() {
  return topic;
}

}  // namespace locker::conformance
