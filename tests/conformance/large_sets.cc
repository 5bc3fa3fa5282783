#include <algorithm>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

// More names of 200 bytes than one atomic step of 512 KiB can carry.
constexpr int too_many = 3000;

std::string long_name(int number) {
  return std::string(190, 'n') + std::to_string(number);
}

void a_huge_set_escalates(Bench& bench) {
  const PartitionSpec large = bench.table();
  const PartitionSpec small = PartitionSpec(bench.table()).with("dt", "1");
  LockSet set = {{small}};
  for (int i = 0; i < too_many; ++i) {
    const LockMode mode = i == 7 ? LockMode::exclusive : LockMode::shared;
    set.push_back({PartitionSpec(large).with("dt", long_name(i)), mode});
  }
  Party a(bench);
  Party b(bench);
  const LockHandle held = a.hold(set);
  bench.expect(held.escalated(), "the handle says that tables were locked instead");
  const std::vector<GrantedMember> members = held.members();
  bench.must(members.size() == 2, "only the largest table is escalated");
  const auto table = std::ranges::find(members, large, &GrantedMember::resource);
  bench.must(table != members.end(), "its partitions became the table");
  bench.expect(table->mode == LockMode::exclusive, "in the strongest mode among them");
  bench.ended(b.attempt(shared(PartitionSpec(large).with("dt", "another"))), Errc::timeout,
              "the whole table is locked then");
  bench.granted(b.attempt(PartitionSpec(small.database(), small.table()).with("dt", "2")),
                "the other table is not");
}

void a_set_below_the_limit_stays(Bench& bench) {
  const PartitionSpec table = bench.table();
  LockSet set;
  for (int i = 0; i < 500; ++i) set.push_back({PartitionSpec(table).with("dt", std::to_string(i))});
  Party a(bench);
  const LockHandle held = a.hold(set);
  bench.expect(!held.escalated(), "a set that one step can carry is not escalated");
  bench.expect(held.members().size() == 500, "it keeps its members");
  bench.expect(bench.holders(table).size() == 500, "all of them stand");
}

void beyond_escalation_is_too_large(Bench& bench) {
  const PartitionSpec database = bench.database();
  LockSet set;
  for (int i = 0; i < too_many; ++i) {
    set.push_back({PartitionSpec(database.database() + long_name(i).substr(40))});
  }
  Party a(bench);
  bench.ended(a.attempt(set), Errc::too_large, "a set that no table can stand for is refused");
}

constexpr Check topic[] = {
    {"a set over 512 KiB locks the largest table instead and says so", "", Needs::sets,
     a_huge_set_escalates},
    {"a set of five hundred partitions is not escalated", "", Needs::sets,
     a_set_below_the_limit_stays},
    {"a set that escalation can't shrink is too large", "", Needs::sets,
     beyond_escalation_is_too_large},
};

}  // namespace

std::span<const Check> large_set_checks() {
  return topic;
}

}  // namespace locker::conformance
