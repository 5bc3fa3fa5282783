#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace locker::core {

// How names and values become components of a lock's path, and back.
//
// Escaped as `%` and two upper-case hex digits a byte:
//   - what Hive escapes in a partition directory's name: U+0000–U+001F " # % ' * / : = ? \ U+007F
//     { [ ] ^ — so a lock's path and the partition's directory end in the same components;
//   - what ZooKeeper refuses in a path: U+0080–U+009F, U+E000–U+F8FF, U+FFF0–U+FFFF and everything
//     from U+10000 on (Hive leaves these alone: only here do the two spellings differ);
//   - bytes that are not UTF-8, though PartitionSpec::check refuses them before;
//   - the dot at the front of a component, which thus is never `.`, `..` or a node of our own;
//   - the first letter of a component that would parse as a lock node's name.
// Every text has exactly one spelling, and different texts have different ones: NFC and NFD of one
// word are two names, as they are two directories.

// The longest component after escaping, in bytes, and the deepest path: database, table, columns.
inline constexpr std::size_t component_limit_bytes = 255;
inline constexpr std::size_t level_limit = 64;

// Hive's spelling of a null or empty value.
inline constexpr std::string_view default_partition = "__HIVE_DEFAULT_PARTITION__";

// The component of a database or a table.
std::string escape_name(std::string_view name);
// The component of a partition column and its value, `column=value`.
std::string escape_key(std::string_view column, std::string_view value);
// What escape_key makes of the value alone.
std::string escape_value(std::string_view value);

// A text with its escapes undone. Any spelling is read, `%2f` and `%41` as well as `%2F` and `A`:
// this is for what people write. `bad` is the offset of a `%` without two hex digits behind it;
// npos where there is none, and `text` is complete.
struct Unescaped {
  std::string text;
  std::size_t bad = std::string_view::npos;
};
Unescaped unescape(std::string_view escaped);

// The name of a database's or table's component; nothing unless escape_name writes it exactly so.
// This is for what comes from a store, where two spellings of one name must never be.
std::optional<std::string> name_of_component(std::string_view component);

// The same for the component of a column and its value.
struct ColumnValue {
  std::string column;
  std::string value;
};
std::optional<ColumnValue> key_of_component(std::string_view component);

// ASCII letters lowered and nothing else: Hive's names are ASCII, and lowering more would depend on
// a locale and merge names that file systems keep apart.
std::string lower_ascii(std::string_view text);

}  // namespace locker::core
