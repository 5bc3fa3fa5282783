#include <array>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

// A small tree of resources; `above` is the index of what contains it.
struct Node {
  PartitionSpec resource;
  int above;
};

std::vector<Node> small_tree(Bench& bench) {
  const PartitionSpec database = bench.database();
  const PartitionSpec table(database.database(), "orders");
  const PartitionSpec other(database.database(), "orders_1");
  PartitionSpec day = table;
  day.with("dt", "1");
  PartitionSpec hour = day;
  hour.with("hr", "7");
  PartitionSpec other_hour = day;
  other_hour.with("hr", "8");
  PartitionSpec other_day = table;
  other_day.with("dt", "10");
  return {{database, -1},  {table, 0},     {day, 1},   {hour, 2},
          {other_hour, 2}, {other_day, 1}, {other, 0}, {bench.database(), -1}};
}

bool covers(const std::vector<Node>& tree, std::size_t upper, std::size_t lower) {
  if (upper == lower) return true;
  const int above = tree[lower].above;
  return above >= 0 && covers(tree, upper, static_cast<std::size_t>(above));
}

void try_pair(Bench& bench, Party& holder, Party& other, const Wanted& held, const Wanted& asked,
              bool conflict) {
  LockHandle handle = holder.hold(held);
  const std::string what = std::string(name_of(asked.members[0].mode)) + " on " +
                           asked.members[0].resource.to_string() + " while another holds " +
                           std::string(name_of(held.members[0].mode)) + " on " +
                           held.members[0].resource.to_string();
  Result<LockHandle> result = other.attempt(asked);
  if (conflict) {
    bench.ended(result, Errc::timeout, what + " is refused");
  } else {
    bench.granted(std::move(result), what + " is granted");
  }
  bench.ok(handle.unlock(), "the holder can unlock");
}

void every_pair_of_a_tree(Bench& bench) {
  const std::vector<Node> tree = small_tree(bench);
  Party holder(bench);
  Party other(bench);
  constexpr std::array modes = {LockMode::exclusive, LockMode::shared};
  for (std::size_t held = 0; held < tree.size(); ++held) {
    for (std::size_t asked = 0; asked < tree.size(); ++asked) {
      const bool meet = covers(tree, held, asked) || covers(tree, asked, held);
      for (const LockMode held_mode : modes) {
        for (const LockMode asked_mode : modes) {
          const bool both_read = held_mode == LockMode::shared && asked_mode == LockMode::shared;
          try_pair(bench, holder, other, {tree[held].resource, held_mode},
                   {tree[asked].resource, asked_mode}, meet && !both_read);
        }
      }
    }
  }
}

void table_waits_for_all_inside(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party insider(bench);
  std::vector<LockHandle> inside;
  for (const char* day : {"1", "2", "3"}) {
    inside.push_back(insider.hold(PartitionSpec(table).with("dt", day)));
  }
  Party outsider(bench);
  Ask whole = outsider.queue(table, 0);
  for (LockHandle& handle : inside) {
    bench.expect(!whole.ready(), "a table's lock waits for every lock inside the table");
    bench.ok(handle.unlock(), "a lock inside is let go");
  }
  bench.granted(whole, "the table's lock is granted after the last of them");
}

void later_inside_waits_for_table(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec first = PartitionSpec(table).with("dt", "1");
  const PartitionSpec second = PartitionSpec(table).with("dt", "2");
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle inside = a.hold(first);
  Ask whole = b.queue(table, 0);
  bench.ended(c.attempt(second), Errc::timeout,
              "a free partition below a waiting table is refused");
  Ask later = c.ask(second);
  bench.await_waiters(table, 2);
  bench.ok(inside.unlock(), "the lock inside is let go");
  LockHandle table_held = bench.granted(whole, "the table's lock is granted");
  bench.expect(!later.ready(), "what came later inside the table waits for it");
  bench.ok(table_held.unlock(), "the table's lock is let go");
  bench.granted(later, "the later lock inside is granted then");
}

constexpr Check topic[] = {
    {"exactly the locks that meet in the tree and are not both shared conflict", "L22",
     Needs::hierarchy, every_pair_of_a_tree},
    {"a table's lock waits for every lock inside it", "L22", Needs::hierarchy,
     table_waits_for_all_inside},
    {"a later lock inside waits for the table's waiter", "L22", Needs::hierarchy,
     later_inside_waits_for_table},
};

}  // namespace

std::span<const Check> hierarchy_checks() {
  return topic;
}

}  // namespace locker::conformance
