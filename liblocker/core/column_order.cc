#include "core/column_order.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/suggest.h"
#include "core/time_text.h"
#include "core/visible_text.h"

namespace locker::core {
namespace {

std::string shown_order(const std::vector<std::string>& columns) {
  std::string out;
  for (const std::string& column : columns) {
    if (!out.empty()) out += ", ";
    out += visible_text(column);
  }
  return out;
}

// How to mend a slip of whoever was first; a registered order is no slip.
std::string how_to_mend(const PartitionSpec& spec, const TableColumns& fixed) {
  if (fixed.registered) return {};
  return " If the fixed order is the mistake: locker table unregister " +
         visible_text(spec.database() + "." + spec.table());
}

// Half a sentence: the order, who fixed it and when.
std::string describe(const TableColumns& fixed) {
  std::string out = "the columns are " + shown_order(fixed.columns);
  out += fixed.registered ? ", registered" : ", fixed by the first lock that named them,";
  if (!fixed.set_by.empty()) out += " by " + visible_text(fixed.set_by);
  return out + " at " + utc_text(fixed.set_at);
}

Error unknown_column(const PartitionSpec& spec, std::string_view column,
                     const TableColumns& fixed) {
  std::string text = visible_text(spec.database() + "." + spec.table()) +
                     " has no partition column '" + visible_text(column) + "': " + describe(fixed);
  const std::optional<std::string> nearest = nearest_word(column, fixed.columns);
  if (nearest) text += "; did you mean '" + visible_text(*nearest) + "'?";
  if (!nearest) text += "; name those, or register the table anew.";
  text += how_to_mend(spec, fixed);
  return make_error(Errc::invalid, "unknown_column", std::move(text));
}

Error missing_column(const PartitionSpec& spec, std::string_view missing, std::string_view named,
                     const TableColumns& fixed) {
  // A mistyped column looks like a missing one; so the error names what is near it.
  const std::optional<std::string> nearest = nearest_word(named, fixed.columns);
  const bool known = std::ranges::find(fixed.columns, named) != fixed.columns.end();
  std::string text = visible_text(spec.database() + "." + spec.table());
  text += known ? " is given '" + visible_text(named) + "' without '" + visible_text(missing) +
                      "', which comes before it: "
                : " has no partition column '" + visible_text(named) + "' so far: ";
  text += describe(fixed);
  if (nearest && *nearest != named) {
    text += "; did you mean '" + visible_text(*nearest) + "'?";
  } else {
    text +=
        "; name '" + visible_text(missing) + "' first" + (known ? "." : " if it is a further one.");
  }
  if (!known) text += how_to_mend(spec, fixed);
  return make_error(Errc::invalid, "unknown_column", std::move(text));
}

bool names(const std::vector<std::string>& columns, const std::string& column) {
  return std::ranges::find(columns, column) != columns.end();
}

}  // namespace

Result<OrderedSpec> in_column_order(const PartitionSpec& spec, const TableColumns* fixed) {
  OrderedSpec ordered;
  if (fixed == nullptr || fixed->columns.empty()) {
    ordered.spec = spec;
    for (const PartitionKey& key : spec.keys()) ordered.columns.push_back(key.column);
    return ordered;
  }
  ordered.spec = PartitionSpec(spec.database(), spec.table());
  ordered.columns = fixed->columns;

  // First the columns of the order, as far as the spec names them without a gap.
  const std::string* missing = nullptr;
  for (const std::string& column : fixed->columns) {
    const auto key = std::ranges::find(spec.keys(), column, &PartitionKey::column);
    const bool named = key != spec.keys().end();
    if (named && missing != nullptr) return missing_column(spec, *missing, column, *fixed);
    if (named) ordered.spec.with(key->column, key->value);
    if (!named && missing == nullptr) missing = &column;
  }
  // Then those that lengthen it.
  for (const PartitionKey& key : spec.keys()) {
    if (names(fixed->columns, key.column)) continue;
    if (fixed->registered) return unknown_column(spec, key.column, *fixed);
    if (missing != nullptr) return missing_column(spec, *missing, key.column, *fixed);
    ordered.spec.with(key.column, key.value);
    ordered.columns.push_back(key.column);
  }
  return ordered;
}

}  // namespace locker::core
