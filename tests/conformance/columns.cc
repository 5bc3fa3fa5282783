#include <algorithm>
#include <thread>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

using Columns = std::vector<std::string>;

Columns columns_of(Bench& bench, const PartitionSpec& table) {
  const auto found = bench.value(bench.observer().table_columns(table), "columns are read");
  return found ? found->columns : Columns{};
}

void orders_meet(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  Party b(bench);
  const LockHandle held = a.hold(PartitionSpec(table).with("dt", "1").with("hr", "2"));
  bench.expect(columns_of(bench, table) == Columns{"dt", "hr"}, "the first lock fixes the order");
  bench.ended(b.attempt(PartitionSpec(table).with("hr", "2").with("dt", "1")), Errc::timeout,
              "the other order names the same partition");
  bench.granted(b.attempt(PartitionSpec(table).with("hr", "1").with("dt", "2")),
                "and another one where the values are swapped");
}

void orders_lengthen(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  Party b(bench);
  const LockHandle held = a.hold(PartitionSpec(table).with("dt", "1"));
  bench.expect(columns_of(bench, table) == Columns{"dt"}, "dt=1 fixes dt as the first column");
  bench.granted(b.attempt(PartitionSpec(table).with("hr", "2").with("dt", "2")),
                "who names more lengthens the order");
  bench.expect(columns_of(bench, table) == Columns{"dt", "hr"}, "behind what is fixed");
  bench.ended(b.attempt(PartitionSpec(table).with("hr", "2").with("dt", "1")), Errc::timeout,
              "an old lock covers what is below it in the longer order");
}

void missing_columns_are_told(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  { const LockHandle held = a.hold(PartitionSpec(table).with("dt", "1").with("hr", "2")); }
  const Error error = bench.ended(a.attempt(PartitionSpec(table).with("hr", "2")), Errc::invalid,
                                  "a partition without its first column names nothing");
  bench.expect(error.code == "unknown_column", "it is called unknown_column");
  bench.expect(error.message.find("dt") != std::string::npos, "the sentence names the order");
}

void registered_orders_are_closed(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  bench.ok(a.locker.register_table(table, {"DT", "hr"}), "a table is registered");
  const auto columns = bench.value(bench.observer().table_columns(table), "columns are read");
  bench.must(columns.has_value(), "they are kept");
  bench.expect(columns->registered && !columns->set_by.empty(), "with who registered them");
  bench.expect(columns->columns == Columns{"dt", "hr"}, "lowered");
  const Error error =
      bench.ended(a.attempt(PartitionSpec(table).with("dt", "1").with("hr", "2").with("mi", "3")),
                  Errc::invalid, "a column that is not registered is refused");
  bench.expect(error.code == "unknown_column", "it is called unknown_column");
  bench.expect(error.message.find("hr") != std::string::npos, "the sentence names the order");
  const LockHandle held = a.hold(PartitionSpec(table).with("hr", "2").with("dt", "1"));
  const PartitionSpec in_order = PartitionSpec(table).with("dt", "1").with("hr", "2");
  bench.expect(held.members().at(0).resource == in_order, "a grant stands in the table's order");
}

void another_order_is_a_conflict(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  bench.ok(a.locker.register_table(table, {"dt", "hr"}), "a table is registered");
  bench.ok(a.locker.register_table(table, {"dt", "hr"}), "the same again changes nothing");
  bench.ended(a.locker.register_table(table, {"hr", "dt"}), Errc::conflict,
              "another order is refused");
  bench.ended(a.locker.register_table(table, {"dt", "dt"}), Errc::invalid,
              "a repeated column is refused");
  bench.expect(columns_of(bench, table) == Columns{"dt", "hr"}, "the first order stays");
  bench.ok(a.locker.register_table(table, {"hr", "dt"}, true), "it can be replaced on purpose");
  bench.expect(columns_of(bench, table) == Columns{"hr", "dt"}, "by the new order");
  bench.expect(bench.listed(table).empty(), "replacing leaves no lock");
}

void forgetting(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  bench.ended(a.locker.unregister_table(table), Errc::not_found, "nothing is there to forget");
  { const LockHandle held = a.hold(PartitionSpec(table).with("typo", "1")); }
  bench.ok(a.locker.unregister_table(table), "a first locker's typo is mended");
  bench.expect(columns_of(bench, table).empty(), "nothing is fixed then");
  const LockHandle held = a.hold(PartitionSpec(table).with("dt", "1"));
  bench.expect(columns_of(bench, table) == Columns{"dt"}, "the next lock fixes it anew");
}

void tables_are_listed(Bench& bench) {
  const PartitionSpec one = bench.table();
  const PartitionSpec two = bench.table();
  Party a(bench);
  bench.ok(a.locker.register_table(one, {"dt"}), "a table is registered");
  const LockHandle held = a.hold(PartitionSpec(two).with("day", "1"));
  const auto tables = bench.value(bench.observer().tables(), "tables are listed");
  const auto first = std::ranges::find(tables, one, &TableColumns::table);
  const auto second = std::ranges::find(tables, two, &TableColumns::table);
  bench.must(first != tables.end() && second != tables.end(), "both tables are listed");
  bench.expect(first->registered && !second->registered, "one was registered, the other not");
}

void replacing_reaches_waiters(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec partition = PartitionSpec(table).with("dt", "1").with("city", "x");
  Party a(bench);
  Party b(bench);
  Party registrar(bench);
  { const LockHandle held = a.hold(partition); }
  Result<void> replaced;
  // Ends after the lock that it waits for, however this check ends.
  std::jthread replacing;
  LockHandle whole = a.hold(table);
  replacing = std::jthread([&] {
    replaced = registrar.locker.register_table(table, {"city", "dt"}, true);
  });
  bench.await_waiters(table, 1);
  Ask ask = b.queue(partition, 0);
  bench.ok(whole.unlock(), "the table's holder lets go");
  replacing.join();
  bench.ok(replaced, "the order is replaced");
  const LockHandle granted = bench.granted(ask, "who waited behind it is granted");
  const PartitionSpec in_order = PartitionSpec(table).with("city", "x").with("dt", "1");
  bench.expect(granted.members().at(0).resource == in_order, "by the new order's name");
}

constexpr Check topic[] = {
    {"two jobs that name their columns in another order meet", "L21 B02", Needs::exclusion,
     orders_meet},
    {"a longer partition lengthens the order", "", Needs::hierarchy, orders_lengthen},
    {"a partition without an earlier column is refused", "B02", Needs::exclusion,
     missing_columns_are_told},
    {"a registered order takes no other column", "B02", Needs::exclusion,
     registered_orders_are_closed},
    {"another order needs to be replaced on purpose", "", Needs::exclusion,
     another_order_is_a_conflict},
    {"a waiter behind a new order is granted by its new name", "", Needs::hierarchy,
     replacing_reaches_waiters},
    {"a table can be forgotten", "", Needs::exclusion, forgetting},
    {"tables with an order are listed", "", Needs::exclusion, tables_are_listed},
};

}  // namespace

std::span<const Check> column_checks() {
  return topic;
}

}  // namespace locker::conformance
