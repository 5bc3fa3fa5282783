#include <thread>
#include <utility>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

void re_entry_is_counted(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle first = a.hold(resource);
  LockHandle second = a.hold(resource);
  LockHandle third = a.hold(resource);
  bench.expect(first.token() == second.token() && second.token() == third.token(),
               "an owner that asks again gets the same token");
  bench.expect(bench.holders(resource).size() == 1, "and stands in the queue once");
  Ask waiting = b.queue(resource, 0);
  bench.ok(second.unlock(), "the second handle is let go");
  bench.ok(first.unlock(), "the first handle is let go");
  bench.expect(third.held() && !waiting.ready(), "the lock is held until the last handle goes");
  bench.expect(bench.holders(resource).size() == 1, "by the coordinator too");
  bench.ok(third.unlock(), "the third handle is let go");
  bench.granted(waiting, "the next owner is granted then");
}

void re_entry_overtakes_waiters(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle first = a.hold(resource);
  Ask waiting = b.queue(resource, 0);
  LockHandle second = bench.granted(a.attempt(resource), "re-entry does not queue behind a waiter");
  bench.expect(second.token() == first.token(), "it is counted");
}

void narrower_and_weaker_is_counted(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  LockHandle whole = a.hold(table);
  LockHandle inside = a.hold(PartitionSpec(table).with("dt", "1"));
  LockHandle reading = a.hold(shared(PartitionSpec(table).with("dt", "2")));
  bench.expect(inside.token() == whole.token() && reading.token() == whole.token(),
               "a lock inside what is held, in the same or a weaker mode, is counted");
  bench.expect(bench.listed(table).size() == 1, "it adds no place to the queue");
  Party b(bench);
  bench.ok(whole.unlock(), "the covering handle is let go first");
  bench.ended(b.attempt(PartitionSpec(table).with("dt", "1")), Errc::timeout,
              "what is still held by count excludes others");
}

void threads_are_owners(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  PartitionLocker locker = bench.locker();
  LockOptions options;
  options.timeout = bench.bound();
  LockHandle first = bench.granted(locker.lock(resource, options), "a thread locks");
  LockHandle second = bench.granted(locker.lock(resource, options), "the same thread is counted");
  bench.expect(first.token() == second.token(), "same thread, same token");
  bench.expect(first.owner() == Owner::this_thread(), "the thread is the owner");
  std::jthread([&] {
    bench.ended(locker.try_lock(resource), Errc::timeout, "another thread is another owner");
  }).join();
  bench.ok(first.unlock(), "the first handle is let go");
  std::jthread([&] {
    bench.ended(locker.try_lock(resource), Errc::timeout, "the lock is held until both are");
  }).join();
  bench.ok(second.unlock(), "the second handle is let go");
  std::jthread([&] {
    bench.expect(locker.try_lock(resource).has_value(), "the lock is free after both");
  }).join();
}

void another_thread_lets_go(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle first = a.hold(resource);
  LockHandle second = a.hold(resource);
  std::jthread([&, moved = std::move(first)]() mutable {
    bench.ok(moved.unlock(), "a handle can be let go by another thread");
  }).join();
  bench.expect(second.held(), "the other handle holds on");
  bench.ended(b.attempt(resource), Errc::timeout, "the lock is held until both are let go");
  bench.ok(second.unlock(), "the other handle is let go");
  bench.granted(b.attempt(resource), "the lock is free then");
}

void one_waiting_request_an_owner(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec p = PartitionSpec(table).with("dt", "1");
  const PartitionSpec q = PartitionSpec(table).with("dt", "2");
  Party a(bench);
  Party b(bench);
  LockHandle first = a.hold(LockSet{{p}, {q}});
  Ask waiting = b.queue(p, 0);
  Ask second = b.ask(q);
  bench.ended(second, Errc::invalid, "an owner's second waiting request is refused");
  bench.expect(!waiting.ready() && bench.waiters(table).size() == 1, "the first waits on");
  bench.ok(first.unlock(), "the holder lets go");
  bench.granted(waiting, "the first is granted in its turn");
  bench.granted(b.attempt(q), "the owner can ask again once it no longer waits");
}

void an_owner_in_two_sessions(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party parent(bench);
  Party child(bench);
  Party other(bench);
  child.owner =
      bench.value(Owner::parse(parent.owner.to_string()), "an owner is handed on as text");
  LockHandle held = parent.hold(resource);
  LockHandle nested =
      bench.granted(child.attempt(resource), "a child does not wait for its parent");
  bench.ok(nested.unlock(), "the child lets go");
  bench.expect(held.held(), "the parent holds on");
  bench.ended(other.attempt(resource), Errc::timeout, "the child let go of its own lock only");
}

void a_guessed_owner_is_another(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party parent(bench);
  Party thief(bench);
  const std::string guessed = parent.owner.id() + ":" + Owner::create().secret();
  thief.owner = bench.value(Owner::parse(guessed), "an owner with another's id is read");
  const LockHandle held = parent.hold(resource);
  bench.expect(!thief.attempt(resource).has_value(), "an owner's id without its secret is nobody");
  bench.expect(held.held(), "the holder is undisturbed");
}

void a_given_lock_leaves_its_owner(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  PartitionLocker locker = bench.locker();
  LockHandle held = bench.granted(locker.try_lock(resource), "a thread locks");
  const FencingToken token = held.token();
  const Owner taker = Owner::create();
  bench.ok(held.give_to(taker), "the lock is given to another owner");
  bench.ended(locker.try_lock(resource), Errc::timeout, "its former owner does not count any more");
  bench.expect(held.owner() == taker && held.token() == token, "it is the same lock of another");
  bench.expect(bench.holders(resource).at(0).owner.owner == taker.id(), "the coordinator knows");
  LockOptions options;
  options.owner = taker;
  LockHandle counted = bench.granted(locker.lock(resource, options), "the new owner is counted");
  bench.ended(held.give_to(Owner::create()), Errc::invalid, "a lock that others count on stays");
  bench.ok(counted.unlock(), "the counted handle is let go");
  Ask former = Ask(locker, resource, {});
  bench.must(bench.until([&] { return bench.waiters(resource).size() == 1; }), "another waits");
  bench.ok(held.unlock(), "the given lock is let go");
  bench.granted(former, "and the next is granted");
}

constexpr Check topic[] = {
    {"an owner that asks again is counted, and free after all its handles", "L16", Needs::exclusion,
     re_entry_is_counted},
    {"an owner that asks again does not queue behind a waiter", "", Needs::exclusion,
     re_entry_overtakes_waiters},
    {"a narrower or weaker lock of its owner is counted", "", Needs::hierarchy,
     narrower_and_weaker_is_counted},
    {"a blocking call's owner is its thread", "L16", Needs::exclusion, threads_are_owners},
    {"a handle moved to another thread lets go of its own share only", "", Needs::exclusion,
     another_thread_lets_go},
    {"a lock that is given away leaves its owner's count", "L16", Needs::exclusion,
     a_given_lock_leaves_its_owner},
    {"an owner's second waiting request is invalid", "L16", Needs::sets,
     one_waiting_request_an_owner},
    {"an owner handed to another session is the same owner", "", Needs::exclusion,
     an_owner_in_two_sessions},
    {"an owner's id without its secret is another owner", "", Needs::exclusion,
     a_guessed_owner_is_another},
};

}  // namespace

std::span<const Check> owner_checks() {
  return topic;
}

}  // namespace locker::conformance
