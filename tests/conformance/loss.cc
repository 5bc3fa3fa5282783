#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

// Breaks a holder; a break ends when the holder has let go of what it lost.
std::jthread break_holder(Bench& bench, const LockHandle& held) {
  return std::jthread([&bench, id = held.id()] {
    bench.value(bench.observer().break_session(id, "the conformance check breaks it"),
                "a holder is broken");
  });
}

void let_go(Bench& bench, LockHandle& lost) {
  bench.ended(lost.unlock(), Errc::lost, "unlocking a lost lock says so");
}

void a_broken_holder_is_told_once(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  std::atomic<int> calls = 0;
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(resource);
  held.on_lost([&](const Error& error) {
    bench.expect(error.errc == Errc::lost, "the callback is told that the lock is lost");
    ++calls;
  });
  const std::stop_token stop = held.stop_token();
  Ask waiting = b.queue(resource, 0);
  const std::jthread breaking = break_holder(bench, held);
  bench.must(bench.until([&] { return stop.stop_requested(); }), "the holder's token stops");
  bench.must(bench.until([&] { return calls > 0; }), "the holder is called");
  bench.expect(held.state() == LockState::lost && !held.held(), "its handle is lost");
  bench.expect(held.valid_for() == std::chrono::milliseconds(0), "and valid no longer");
  bench.expect(!waiting.ready(), "nobody is granted beside a holder that was just told");
  let_go(bench, held);
  const LockHandle next = bench.granted(waiting, "the waiter is granted after the break");
  bench.expect(next.token() > held.token(), "by a greater token");
  bench.expect(next.held() && bench.holders(resource).size() == 1, "the next holder has it");
  bench.expect(calls == 1, "the callback came once");
}

void a_late_callback_comes_at_once(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  LockHandle held = a.hold(resource);
  const std::jthread breaking = break_holder(bench, held);
  bench.must(bench.until([&] { return held.state() == LockState::lost; }), "the holder is told");
  int calls = 0;
  held.on_lost([&](const Error&) { ++calls; });
  bench.expect(calls == 1, "a callback on a lost handle comes at once");
  let_go(bench, held);
}

void a_locker_ends_in_its_callback(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party next(bench);
  auto party = std::make_unique<Party>(bench);
  auto held = std::make_unique<LockHandle>(party->hold(resource));
  Ask waiting = next.queue(resource, 0);
  const std::string id = held->id();
  std::atomic<bool> gone = false;
  // The locker's own thread drops the locker and its last handle.
  held->on_lost([&](const Error&) {
    party.reset();
    held.reset();
    gone = true;
  });
  bench.value(bench.observer().break_session(id, "the conformance check breaks it"),
              "a holder is broken");
  bench.must(bench.until([&] { return gone.load(); }), "the holder is called");
  bench.granted(waiting, "whoever waited for it is granted");
}

void all_of_the_session_is_lost(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  Party b(bench);
  LockHandle one = a.hold(PartitionSpec(table).with("dt", "1"));
  LockHandle two = a.hold(PartitionSpec(table).with("dt", "2"));
  LockHandle other = b.hold(PartitionSpec(table).with("dt", "3"));
  const std::jthread breaking = break_holder(bench, one);
  bench.expect(bench.until([&] { return !one.held() && !two.held(); }),
               "every lock of a broken session is lost");
  let_go(bench, one);
  let_go(bench, two);
  bench.expect(bench.until([&] { return bench.listed(table).size() == 1; }), "and is gone");
  bench.expect(other.held(), "another session's is not");
}

void a_locker_goes_on_after_a_loss(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  LockHandle held = a.hold(resource);
  const FencingToken lost_token = held.token();
  const std::jthread breaking = break_holder(bench, held);
  bench.must(bench.until([&] { return !held.held(); }), "the holder is told");
  let_go(bench, held);
  const LockHandle again = a.hold(resource);
  bench.expect(again.token() > lost_token, "the same owner is granted anew, not by count");
  bench.expect(again.held() && !held.held(), "the lost handle stays lost");
}

void a_waiter_that_lost_its_place(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle held = a.hold(resource);
  Ask first = b.queue(resource, 0);
  const std::string session = bench.waiters(resource).at(0).request;
  Ask second = c.queue(resource, 1);
  bench.value(bench.observer().break_session(session, "the waiter's session ends"), "it is broken");
  // B starts again at the end of the queue, since its owner held nothing.
  const auto behind = [&] {
    const std::vector<Contender> queue = bench.waiters(resource);
    return queue.size() == 2 && queue[0].owner.owner == c.owner.id();
  };
  bench.must(bench.until(behind), "a waiter whose session ended stands anew, behind the others");
  bench.expect(!first.ready(), "its place of old grants nothing");
  bench.ok(held.unlock(), "the holder lets go");
  LockHandle next = bench.granted(second, "who stood behind it is next");
  bench.expect(!first.ready(), "the one whose session ended waits on");
  bench.ok(next.unlock(), "the next lets go");
  bench.granted(first, "then its turn comes, under the new session");
}

void a_waiter_that_held_something(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  Party b(bench);
  const LockHandle held = a.hold(PartitionSpec(table).with("dt", "1"));
  LockHandle own = b.hold(PartitionSpec(table).with("dt", "2"));
  Ask waiting = b.queue(PartitionSpec(table).with("dt", "1"), 0);
  const std::jthread breaking = break_holder(bench, own);
  bench.ended(waiting, Errc::lost, "a wait whose owner lost what it held ends");
  let_go(bench, own);
  bench.expect(!own.held(), "its lock is lost");
  bench.expect(bench.until([&] { return bench.waiters(table).empty(); }), "and nothing is left");
}

void breaking_needs_a_reason(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  const LockHandle held = a.hold(resource);
  bench.ended(bench.observer().break_session(held.id(), ""), Errc::invalid,
              "breaking without a reason is refused");
  bench.ended(bench.observer().break_session("0123456789abcdef0123456789abcdef", "no such"),
              Errc::not_found, "who does not stand can't be broken");
  bench.expect(held.held() && bench.holders(resource).size() == 1, "the holder is undisturbed");
}

constexpr Check topic[] = {
    {"a broken holder is told once and the waiter is granted", "L01 L02", Needs::exclusion,
     a_broken_holder_is_told_once},
    {"a callback on a lost handle comes at once", "", Needs::exclusion,
     a_late_callback_comes_at_once},
    {"a locker may end in its own callback", "", Needs::exclusion, a_locker_ends_in_its_callback},
    {"every lock of a broken session is lost, and no other", "", Needs::exclusion,
     all_of_the_session_is_lost},
    {"a lost lock is not granted again by count", "L04", Needs::exclusion,
     a_locker_goes_on_after_a_loss},
    {"a waiter whose session ended starts again at the end", "R32 R17", Needs::order,
     a_waiter_that_lost_its_place},
    {"a wait ends when its owner lost what it held", "L04", Needs::exclusion,
     a_waiter_that_held_something},
    {"breaking needs a reason and a holder", "", Needs::exclusion, breaking_needs_a_reason},
};

}  // namespace

std::span<const Check> loss_checks() {
  return topic;
}

}  // namespace locker::conformance
