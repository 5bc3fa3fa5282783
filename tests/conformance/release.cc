#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

void releasing_what_is_not_held(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(resource);
  bench.ended(b.locker.unlock(resource, b.owner), Errc::invalid, "another can't unlock it");
  bench.ended(b.locker.unlock(resource, a.owner), Errc::invalid, "nor through another session");
  bench.ended(a.locker.unlock(resource, b.owner), Errc::invalid, "nor another owner in this one");
  bench.expect(held.held() && bench.holders(resource).size() == 1, "the holder is undisturbed");
  bench.ok(held.unlock(), "the holder can");
  bench.ended(held.unlock(), Errc::invalid, "a second time is an error");
  LockHandle empty;
  bench.ended(empty.unlock(), Errc::invalid, "so is unlocking an empty handle");
  bench.expect(!empty.held() && empty.state() == LockState::released, "which holds nothing");
}

void unlocking_by_name(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  LockHandle first = a.hold(resource);
  LockHandle second = a.hold(resource);
  bench.ok(a.locker.unlock(resource, a.owner), "the newest lock is unlocked by its name");
  bench.expect(first.held() && !second.held(), "it was the newest");
  bench.ok(a.locker.unlock(resource, a.owner), "then the other");
  bench.expect(!first.held() && bench.listed(resource).empty(), "nothing is held then");
  bench.ended(a.locker.unlock(resource, a.owner), Errc::invalid, "and there is no third");
}

void a_handle_tells_its_state(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  LockHandle held = a.hold(shared(resource));
  const std::stop_token stop = held.stop_token();
  bench.expect(held.held() && held.state() == LockState::held, "a granted handle is held");
  bench.expect(held.valid_for() > std::chrono::milliseconds(0), "it is valid for some time");
  bench.expect(!stop.stop_requested(), "its stop token is quiet");
  bench.expect(held.owner() == a.owner, "it knows its owner");
  const std::vector<GrantedMember> members = held.members();
  bench.must(members.size() == 1, "it has one member");
  bench.expect(members[0].resource == resource && members[0].mode == LockMode::shared,
               "what was asked for, in its mode");
  bench.ok(held.unlock(), "it is let go");
  bench.expect(held.state() == LockState::released && !held.held(), "it is released then");
  bench.expect(held.valid_for() == std::chrono::milliseconds(0), "and valid no longer");
  bench.expect(stop.stop_requested(), "its stop token tells");
}

void handles_move(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  const PartitionSpec another = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle outer;
  {
    LockHandle inner = a.hold(resource);
    outer = std::move(inner);
  }
  bench.expect(outer.held() && bench.holders(resource).size() == 1, "a moved handle holds on");
  outer = a.hold(another);
  Ask freed = b.ask(resource);
  bench.granted(freed, "assigning over a handle lets go of what it held");
  bench.expect(bench.holders(another).size() == 1, "and it holds the new one");
}

void a_destructor_lets_go(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  {
    const LockHandle held = a.hold(resource);
    bench.ended(b.attempt(resource), Errc::timeout, "it is held within the block");
  }
  Ask next = b.ask(resource);
  bench.granted(next, "it is free after the block");
}

void closing_lets_go_of_ones_own(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec p = PartitionSpec(table).with("dt", "1");
  const PartitionSpec q = PartitionSpec(table).with("dt", "2");
  Party a(bench);
  Party c(bench);
  LockHandle kept = a.hold(p);
  LockHandle orphan;
  {
    Party b(bench);
    orphan = b.hold(q);
  }
  bench.expect(orphan.state() == LockState::lost && !orphan.held(),
               "a handle that outlives its locker is lost");
  bench.expect(orphan.stop_token().stop_requested(), "and says so");
  bench.ended(orphan.unlock(), Errc::lost, "it can't be unlocked any more");
  bench.granted(c.attempt(q), "what the closed locker held is free");
  bench.expect(kept.held() && bench.holders(p).size() == 1, "the other locker's is not");
  bench.ended(c.attempt(p), Errc::timeout, "nobody gets it");
}

void closing_ends_ones_own_waits(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party c(bench);
  LockHandle held = a.hold(resource);
  std::optional<Ask> orphan;
  std::optional<Ask> behind;
  {
    Party b(bench);
    orphan.emplace(b.queue(resource, 0));
    behind.emplace(c.queue(resource, 1));
  }
  const Result<LockHandle> result = orphan->answer(bench.bound());
  bench.expect(!result.has_value() && result.error().errc != Errc::internal,
               "a wait of a closed locker ends with an error");
  bench.await_waiters(resource, 1);
  bench.ok(held.unlock(), "the holder lets go");
  bench.granted(*behind, "the waiter behind the closed locker's is next");
}

void closing_on_the_way(Bench& bench) {
  const PartitionSpec table = bench.table();
  constexpr int rounds = 3;
  constexpr int requests = 50;
  std::vector<Ask> asks;
  for (int round = 0; round < rounds; ++round) {
    Party leaver(bench);
    for (int day = 0; day < requests; ++day) {
      LockOptions options;
      options.owner = Owner::create();
      asks.push_back(leaver.ask(PartitionSpec(table).with("dt", std::to_string(day)), options));
    }
  }
  for (Ask& ask : asks) {
    const Result<LockHandle> result = ask.answer(bench.bound());
    bench.expect(!(result.has_value() ? result->held() : result.error().errc == Errc::internal),
                 "a request of a closed locker is answered, and holds nothing");
  }
  bench.expect(bench.until([&] { return bench.listed(table).empty(); }), "and nothing is left");
}

void a_released_lock_is_not_lost(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  std::atomic<int> losses = 0;
  {
    Party a(bench);
    LockHandle held = a.hold(resource);
    held.on_lost([&](const Error&) { ++losses; });
    bench.ok(held.unlock(), "the holder lets go");
  }
  bench.expect(losses == 0, "letting go is no loss");
}

constexpr Check topic[] = {
    {"releasing what is not held is an error and touches nothing", "L17", Needs::exclusion,
     releasing_what_is_not_held},
    {"unlocking by name lets go of the newest lock", "", Needs::exclusion, unlocking_by_name},
    {"a handle tells its state", "", Needs::shared, a_handle_tells_its_state},
    {"a moved handle holds on", "", Needs::exclusion, handles_move},
    {"a handle's destructor lets go", "", Needs::exclusion, a_destructor_lets_go},
    {"closing a locker lets go of its own locks only", "L17", Needs::exclusion,
     closing_lets_go_of_ones_own},
    {"closing a locker ends its waits and leaves nothing", "L17", Needs::order,
     closing_ends_ones_own_waits},
    {"closing a locker ends its requests wherever they are", "", Needs::exclusion,
     closing_on_the_way},
    {"a lock that was let go is not lost", "", Needs::exclusion, a_released_lock_is_not_lost},
};

}  // namespace

std::span<const Check> release_checks() {
  return topic;
}

}  // namespace locker::conformance
