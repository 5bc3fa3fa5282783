#include <thread>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

PartitionSpec day(const PartitionSpec& table, std::string_view value) {
  return PartitionSpec(table).with("dt", value);
}

void all_or_nothing(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec p = day(table, "1");
  const PartitionSpec q = day(table, "2");
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle busy = b.hold(q);
  bench.ended(a.attempt(LockSet{{p}, {q}}), Errc::timeout, "a set with a busy member is refused");
  bench.granted(c.attempt(p), "its free member stays free");

  Ask set = a.ask(LockSet{{p}, {q}});
  bench.await_waiters(table, 2);
  bench.ended(c.attempt(p), Errc::timeout, "a waiting set stands in the queue of every member");
  bench.ok(busy.unlock(), "the busy member is let go");
  LockHandle held = bench.granted(set, "the whole set is granted");
  bench.expect(bench.holders(table).size() == 2, "both members are held at once");
  bench.ok(held.unlock(), "a set is let go");
  bench.expect(bench.listed(table).empty(), "in one step, with nothing left");
}

void a_set_that_times_out_leaves_nothing(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  Party b(bench);
  const LockHandle busy = b.hold(day(table, "2"));
  LockOptions options;
  options.timeout = std::chrono::milliseconds(50);
  Ask set = a.ask(LockSet{{day(table, "1")}, {day(table, "2")}, {day(table, "3")}}, options);
  bench.ended(set, Errc::timeout, "a set has one deadline");
  bench.expect(bench.listed(table).size() == 1, "no member of it is left in any queue");
}

void sets_keep_their_order(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec p = day(table, "1");
  const PartitionSpec q = day(table, "2");
  const PartitionSpec r = day(table, "3");
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle busy = a.hold(p);
  Ask first = b.ask(LockSet{{p}, {q}});
  bench.await_waiters(table, 2);
  Ask second = c.ask(LockSet{{q}, {r}});
  bench.await_waiters(table, 4);
  bench.expect(!second.ready(), "a later set waits for an earlier waiting set that it meets");
  bench.ok(busy.unlock(), "the holder lets go");
  LockHandle held = bench.granted(first, "the earlier set is granted first");
  bench.expect(!second.ready(), "the later set waits on");
  bench.ok(held.unlock(), "the earlier set is let go");
  bench.granted(second, "the later set is granted");
}

void opposite_orders_never_deadlock(Bench& bench) {
  constexpr int rounds = 500;
  const PartitionSpec table = bench.table();
  const LockSet forwards = {{day(table, "1")}, {day(table, "2")}, {day(table, "3")}};
  const LockSet backwards = {{day(table, "3")}, {day(table, "2")}, {day(table, "1")}};
  const auto loop = [&](PartitionLocker& locker, const LockSet& set) {
    LockOptions options;
    options.timeout = bench.bound(3);
    for (int round = 0; round < rounds; ++round) {
      Result<LockHandle> handle = locker.lock(set, options);
      if (!bench.expect(handle.has_value(), handle ? "" : handle.error().message)) return;
      bench.ok(handle->unlock(), "a set is let go");
    }
  };
  PartitionLocker one = bench.locker();
  PartitionLocker two = bench.locker();
  std::jthread first([&] { loop(one, forwards); });
  std::jthread second([&] { loop(two, backwards); });
}

void covered_members_collapse(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec p = day(table, "1");
  Party a(bench);
  const LockHandle held = a.hold(LockSet{{p}, {table}, {p, LockMode::shared}});
  const std::vector<GrantedMember> members = held.members();
  bench.must(members.size() == 1, "members below a covering one of the same mode collapse");
  bench.expect(members[0].resource == table, "into the covering one");
}

void weaker_cover_keeps_both(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  Party b(bench);
  const LockHandle held = a.hold(LockSet{{table, LockMode::shared}, {day(table, "1")}});
  bench.expect(held.members().size() == 2, "a stronger member below a weaker one stays");
  bench.granted(b.attempt(shared(day(table, "2"))), "the rest of the table can be read");
  bench.ended(b.attempt(shared(day(table, "1"))), Errc::timeout, "the exclusive member cannot");
  bench.ended(b.attempt(day(table, "2")), Errc::timeout, "nothing in the table can be written");
}

void modes_are_each_members_own(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  Party b(bench);
  const LockHandle held =
      a.hold(LockSet{{day(table, "1"), LockMode::shared}, {day(table, "2"), LockMode::exclusive}});
  bench.granted(b.attempt(shared(day(table, "1"))), "the shared member can be read");
  bench.ended(b.attempt(day(table, "1")), Errc::timeout, "the shared member can't be written");
  bench.ended(b.attempt(shared(day(table, "2"))), Errc::timeout, "the exclusive one not even read");
}

void equal_members_become_the_stronger(Bench& bench) {
  const PartitionSpec p = day(bench.table(), "1");
  Party a(bench);
  const LockHandle held = a.hold(LockSet{{p, LockMode::shared}, {p, LockMode::exclusive}});
  const std::vector<GrantedMember> members = held.members();
  bench.must(members.size() == 1, "a member named twice is one");
  bench.expect(members[0].mode == LockMode::exclusive, "in its stronger mode");
}

void each_member_has_its_token(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  const LockHandle held = a.hold(LockSet{{day(table, "1")}, {day(table, "2")}});
  FencingToken greatest;
  for (const GrantedMember& member : held.members()) {
    bench.expect(member.token > FencingToken{}, "every member has a token");
    greatest = std::max(greatest, member.token);
  }
  bench.expect(held.token() == greatest, "the handle's token is the greatest of its members'");
  for (const Contender& contender : bench.holders(table)) {
    bench.expect(contender.request == held.id(), "members are listed under one request");
  }
}

void an_empty_set_is_refused(Bench& bench) {
  Party a(bench);
  bench.ended(a.attempt(LockSet{}), Errc::invalid, "a set of nothing is refused");
}

constexpr Check topic[] = {
    {"a set is taken all or nothing", "", Needs::sets, all_or_nothing},
    {"a set that times out leaves no member behind", "", Needs::sets,
     a_set_that_times_out_leaves_nothing},
    {"sets that meet keep their order", "", Needs::sets, sets_keep_their_order},
    {"five hundred sets in opposite orders never deadlock", "L23", Needs::sets,
     opposite_orders_never_deadlock},
    {"members below a covering one collapse into it", "", Needs::sets, covered_members_collapse},
    {"a stronger member below a weaker cover stays", "", Needs::sets, weaker_cover_keeps_both},
    {"each member has its own mode", "", Needs::sets, modes_are_each_members_own},
    {"a member named twice is taken once in the stronger mode", "", Needs::sets,
     equal_members_become_the_stronger},
    {"each member of a set has its token", "", Needs::sets, each_member_has_its_token},
    {"an empty set is refused", "", Needs::exclusion, an_empty_set_is_refused},
};

}  // namespace

std::span<const Check> set_checks() {
  return topic;
}

}  // namespace locker::conformance
