#pragma once

#include <string>
#include <vector>

#include <locker/listing.h>
#include <locker/partition_spec.h>
#include <locker/result.h>

namespace locker::core {

// A spec in its table's column order, and the order itself where the spec makes it longer.
struct OrderedSpec {
  PartitionSpec spec;
  // The columns that the table has with this spec; equal to the fixed ones where nothing is new.
  std::vector<std::string> columns;
};

// Puts a checked spec's keys into the fixed order `fixed` (null: none is fixed; empty columns: the
// same), so that two jobs that name one partition with its columns in another order meet.
// Columns beyond the fixed ones lengthen it, in the spec's order, unless the order was registered.
// A fixed column that is missing before a named one is an error: `hr=2` alone names no node of the
// tree dt → hr. Errors: invalid/unknown_column (a registered order has no such column, or an
// earlier column is missing), with the order, who fixed it and when in the text.
Result<OrderedSpec> in_column_order(const PartitionSpec& spec, const TableColumns* fixed);

}  // namespace locker::core
