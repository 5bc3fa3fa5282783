#include "core/column_order.h"

#include "tests/support/test.h"

using locker::PartitionSpec;
using locker::TableColumns;
using locker::core::in_column_order;

namespace {

using Columns = std::vector<std::string>;

TableColumns fixed(Columns columns, bool registered = false) {
  TableColumns order;
  order.table = PartitionSpec("ods", "t");
  order.columns = std::move(columns);
  order.set_by = "etl@node-7";
  order.set_at = std::chrono::sys_days(std::chrono::year(2023) / 5 / 1);
  order.registered = registered;
  return order;
}

PartitionSpec table() {
  return PartitionSpec("ods", "t");
}

}  // namespace

TEST_CASE("the first lock that names columns fixes their order") {
  const PartitionSpec spec = table().with("hr", "2").with("dt", "1");
  const TableColumns none = fixed({});
  for (const TableColumns* order : {static_cast<const TableColumns*>(nullptr), &none}) {
    const auto ordered = in_column_order(spec, order);
    REQUIRE(ordered);
    CHECK(ordered->spec == spec);
    CHECK(ordered->columns == Columns{"hr", "dt"});
  }
  CHECK(in_column_order(table(), nullptr)->columns.empty());
}

TEST_CASE("L21 B02: columns named in another order are put into the table's") {
  const TableColumns order = fixed({"dt", "hr"});
  const auto ordered = in_column_order(table().with("hr", "2").with("dt", "1"), &order);
  REQUIRE(ordered);
  CHECK(ordered->spec == table().with("dt", "1").with("hr", "2"));
  CHECK(ordered->columns == Columns{"dt", "hr"});
}

TEST_CASE("a prefix of the columns, a table or a database stays what it is") {
  const TableColumns order = fixed({"dt", "hr"}, true);
  CHECK(in_column_order(table().with("dt", "1"), &order)->spec == table().with("dt", "1"));
  CHECK(in_column_order(table().with("dt", "1"), &order)->columns == Columns{"dt", "hr"});
  CHECK(in_column_order(table(), &order)->spec == table());
  CHECK(in_column_order(PartitionSpec("ods"), nullptr)->spec == PartitionSpec("ods"));
}

TEST_CASE("further columns lengthen an order that was not registered") {
  const TableColumns order = fixed({"dt"});
  const auto ordered =
      in_column_order(table().with("hr", "2").with("city", "x").with("dt", "1"), &order);
  REQUIRE(ordered);
  CHECK(ordered->spec == table().with("dt", "1").with("hr", "2").with("city", "x"));
  CHECK(ordered->columns == Columns{"dt", "hr", "city"});
}

TEST_CASE("an unknown column of a registered table is an error that says what is right") {
  const TableColumns order = fixed({"dt", "city"}, true);
  const auto mistyped = in_column_order(table().with("dt", "1").with("ctiy", "x"), &order);
  REQUIRE_FALSE(mistyped);
  CHECK(mistyped.error().errc == locker::Errc::invalid);
  CHECK(mistyped.error().code == "unknown_column");
  CHECK(mistyped.error().message ==
        "ods.t has no partition column 'ctiy': the columns are dt, city, registered by "
        "etl@node-7 at 2023-05-01T00:00:00.000Z; did you mean 'city'?");
  const auto foreign = in_column_order(table().with("dt", "1").with("region", "x"), &order);
  REQUIRE_FALSE(foreign);
  CHECK(foreign.error().message.find("did you mean") == std::string::npos);
}

TEST_CASE("a column without those before it names no place") {
  for (const bool registered : {false, true}) {
    const TableColumns order = fixed({"dt", "hr", "city"}, registered);
    for (const PartitionSpec& spec : {table().with("hr", "2"), table().with("city", "x"),
                                      table().with("city", "x").with("dt", "1")}) {
      const auto ordered = in_column_order(spec, &order);
      REQUIRE_FALSE(ordered);
      CHECK(ordered.error().code == "unknown_column");
      CHECK(ordered.error().message.find("dt, hr, city") != std::string::npos);
      CHECK(ordered.error().message.find("etl@node-7") != std::string::npos);
      CHECK(ordered.error().message.find("2023-05-01") != std::string::npos);
    }
  }
  const TableColumns order = fixed({"dt", "hr"});
  const auto typo = in_column_order(table().with("dtt", "1"), &order);
  REQUIRE_FALSE(typo);
  CHECK(typo.error().message.find("did you mean 'dt'?") != std::string::npos);
}

TEST_CASE("S12: who fixed an order is shown safely") {
  TableColumns order = fixed({"dt"}, true);
  order.set_by = "\x1b[2J";
  const auto ordered = in_column_order(table().with("x", "1"), &order);
  REQUIRE_FALSE(ordered);
  CHECK(ordered.error().message.find('\x1b') == std::string::npos);
}
