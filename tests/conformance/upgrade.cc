#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

void upgrade_alone(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle reading = a.hold(shared(resource));
  LockHandle writing = a.hold(resource);
  bench.expect(writing.token() > reading.token(), "an upgrade has a token of its own");
  bench.ended(b.attempt(shared(resource)), Errc::timeout, "an upgraded lock excludes readers");
  bench.ok(writing.unlock(), "the upgrade is let go");
  bench.expect(reading.held(), "the reader's lock is still there");
  bench.ended(b.attempt(resource), Errc::timeout, "and still excludes writers");
}

void upgrade_waits_for_readers(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle mine = a.hold(shared(resource));
  LockHandle theirs = b.hold(shared(resource));
  Ask upgrade = a.queue(resource, 0);
  bench.expect(!upgrade.ready() && mine.held(), "an upgrade waits and keeps what it has");
  bench.ok(theirs.unlock(), "the other reader lets go");
  bench.granted(upgrade, "the upgrade is granted then");
}

void upgrade_past_a_waiter_is_a_deadlock(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle reading = a.hold(shared(resource));
  Ask writer = b.queue(resource, 0);
  Ask upgrade = a.ask(resource);
  bench.ended(upgrade, Errc::deadlock, "an upgrade behind a writer that waits for it is a cycle");
  bench.expect(reading.held() && !writer.ready(), "the reader keeps its lock, the writer waits");
  bench.expect(bench.waiters(resource).size() == 1, "nothing is left of the upgrade");
  bench.ok(reading.unlock(), "the reader lets go");
  bench.granted(writer, "the writer is granted");
}

void two_upgrades_are_a_deadlock(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle first = a.hold(shared(resource));
  LockHandle second = b.hold(shared(resource));
  Ask earlier = a.queue(resource, 0);
  Ask later = b.ask(resource);
  bench.ended(later, Errc::deadlock, "the second of two upgrades is the victim");
  bench.expect(!earlier.ready(), "the first waits on");
  bench.ok(second.unlock(), "the victim lets go of what it holds");
  bench.granted(earlier, "the first upgrade is granted");
}

void widening(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle part = a.hold(PartitionSpec(table).with("dt", "1"));
  LockHandle other = b.hold(PartitionSpec(table).with("dt", "2"));
  Ask whole = a.queue(table, 0);
  bench.expect(!whole.ready(), "the table waits for another's partition, not for one's own");
  bench.ok(other.unlock(), "the other partition is let go");
  LockHandle held = bench.granted(whole, "the table is granted then");
  bench.expect(held.token() > part.token(), "by a new token");
  bench.ok(part.unlock(), "the narrower handle is let go");
  bench.ended(c.attempt(PartitionSpec(table).with("dt", "1")), Errc::timeout,
              "the wider lock covers it still");
}

void downgrade_lets_readers_in(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle held = a.hold(resource);
  const FencingToken token = held.token();
  Ask reader = b.queue(shared(resource), 0);
  Ask another = c.queue(shared(resource), 1);
  bench.ok(held.downgrade(), "an exclusive lock is made shared");
  const LockHandle one = bench.granted(reader, "a waiting reader comes in");
  const LockHandle two = bench.granted(another, "and so does the next");
  bench.expect(held.held() && held.token() == token, "the holder goes on under its token");
  bench.expect(held.members().at(0).mode == LockMode::shared, "as a reader");
  bench.expect(bench.holders(resource).size() == 3, "all three read together");
}

void downgrade_lets_no_writer_in(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle held = a.hold(resource);
  Ask writer = b.queue(resource, 0);
  Ask reader = c.queue(shared(resource), 1);
  bench.ok(held.downgrade(), "an exclusive lock is made shared");
  bench.ended(c.locker.try_lock(resource), Errc::timeout, "no writer comes in");
  bench.expect(!writer.ready() && !reader.ready(), "the writer and the reader behind it wait on");
  bench.ok(held.unlock(), "the reader lets go");
  LockHandle writing = bench.granted(writer, "the writer is next");
  bench.expect(!reader.ready(), "the reader behind it waits");
  bench.ok(writing.unlock(), "the writer lets go");
  bench.granted(reader, "the reader is last");
}

constexpr Check topic[] = {
    {"a reader alone becomes a writer by a new token", "", Needs::shared, upgrade_alone},
    {"an upgrade waits for the other readers", "", Needs::shared, upgrade_waits_for_readers},
    {"an upgrade behind a waiting writer is a deadlock", "L25", Needs::order,
     upgrade_past_a_waiter_is_a_deadlock},
    {"the second of two upgrades is a deadlock", "L25", Needs::order, two_upgrades_are_a_deadlock},
    {"an owner widens its partition to the table", "", Needs::hierarchy, widening},
    {"a downgrade lets waiting readers in", "", Needs::shared, downgrade_lets_readers_in},
    {"a downgrade lets no writer in between", "", Needs::order, downgrade_lets_no_writer_in},
};

}  // namespace

std::span<const Check> upgrade_checks() {
  return topic;
}

}  // namespace locker::conformance
