#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

void records_outlive_their_lock(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  const std::string key = bench.record_key(resource, "done");
  {
    Party a(bench);
    LockHandle held = a.hold(resource);
    const auto before = bench.value(a.locker.recorded(key), "a record is read");
    bench.expect(!before.has_value(), "nothing is recorded at first");
    bench.ok(a.locker.record(held, key, "one"), "a holder records");
    bench.ok(a.locker.record(held, key, "two\n日本"), "and records again");
    bench.ok(held.unlock(), "the holder lets go");
  }
  const auto after = bench.value(bench.observer().recorded(key), "a record is read by another");
  bench.expect(after == "two\n日本", "the last record outlives lock and session");
  bench.ok(bench.observer().forget_record(key), "a record can be forgotten");
  bench.ok(bench.observer().forget_record(key), "and forgetting nothing is no failure");
  bench.expect(!bench.value(bench.observer().recorded(key), "a record is read").has_value(),
               "a forgotten record is gone");
}

void nothing_is_recorded_without_a_lock(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  const std::string key = bench.record_key(resource, "done");
  Party a(bench);
  Party b(bench);
  LockHandle released = a.hold(resource);
  bench.ok(released.unlock(), "the holder lets go");
  bench.expect(!a.locker.record(released, key, "late"), "a released lock records nothing");
  LockHandle orphan;
  {
    Party c(bench);
    orphan = c.hold(resource);
  }
  bench.ended(b.locker.record(orphan, key, "late"), Errc::lost, "nor does a lost one");
  bench.expect(!b.locker.record(LockHandle(), key, "never"), "nor does an empty one");
  bench.expect(!bench.value(bench.observer().recorded(key), "a record is read").has_value(),
               "nothing was recorded");
}

void a_broken_lock_records_nothing(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  const std::string key = bench.record_key(resource, "done");
  Party a(bench);
  Party b(bench);
  LockHandle held = a.hold(resource);
  bench.value(bench.observer().break_session(held.id(), "a test of fencing"), "the lock is broken");
  // At once, whether or not the holder has heard of it.
  const Result<void> late = a.locker.record(held, key, "stale");
  bench.must(!late.has_value(), "a broken lock records nothing");
  bench.expect(late.error().errc == Errc::fenced || late.error().errc == Errc::lost,
               "it is told that it is fenced or lost");
  Ask next = b.ask(resource);
  const LockHandle successor = bench.granted(next, "the next holder is granted");
  bench.ok(b.locker.record(successor, key, "new"), "the next holder records");
  bench.expect(bench.value(bench.observer().recorded(key), "a record is read") == "new",
               "the record is the next holder's");
}

constexpr Check topic[] = {
    {"a record outlives its lock and its session", "", Needs::exclusion,
     records_outlive_their_lock},
    {"nothing is recorded without a held lock", "", Needs::exclusion,
     nothing_is_recorded_without_a_lock},
    {"a broken lock records nothing, told or not", "L02", Needs::exclusion,
     a_broken_lock_records_nothing},
};

}  // namespace

std::span<const Check> record_checks() {
  return topic;
}

}  // namespace locker::conformance
