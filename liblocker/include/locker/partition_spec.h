#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <locker/result.h>

namespace locker {

// A partition column and its value, e.g. {"dt", "20230501"}. The value is raw, not escaped.
struct PartitionKey {
  std::string column;
  std::string value;

  friend auto operator<=>(const PartitionKey&, const PartitionKey&) = default;
};

// Names a resource of the tree database → table → partition column=value → …
//
//   PartitionSpec("ods")                                       the database
//   PartitionSpec("ods", "user_info")                          the table
//   PartitionSpec("ods", "user_info").with("dt", "20230501")   a partition, or a prefix of some
//
// A lock on a resource covers everything below it. Databases, tables and columns are
// case-insensitive in Hive, so they are lowered; values keep their case and spelling ("01" is not
// "1"). An empty value is Hive's default partition, `__HIVE_DEFAULT_PARTITION__`.
// Building a spec never fails: what is wrong with it is said by `check`, by the parsers and by
// every call that takes a spec. A plain value: copy it, compare it, use it from any thread.
class PartitionSpec {
 public:
  PartitionSpec() = default;
  explicit PartitionSpec(std::string_view database);
  PartitionSpec(std::string_view database, std::string_view table);

  // Appends a partition column. The order counts only until the table's own order is known.
  PartitionSpec& with(std::string_view column, std::string_view value) &;
  PartitionSpec&& with(std::string_view column, std::string_view value) &&;

  // Reads the slash form `db[.table[/col=value]…]`, in which names and values are escaped as Hive
  // escapes a partition directory (`dt=a%2Fb` is the value `a/b`). Database and table are parted at
  // the first dot. A trailing slash changes nothing. Any spelling of an escape is read, and what
  // needs none may have none (`%2f`, `%41`, `00:00`); control characters have to be escaped, since
  // unescaped they are slips of the hand.
  // Error: invalid/bad_spec, with a caret under the offending character.
  static Result<PartitionSpec> parse(std::string_view text);

  // Reads the words form {"db.table", "col=value", …}, in which everything is raw: the value of
  // "dt=a/b" is `a/b`. A word is split at its first `=`. One slash at a word's end is dropped, as
  // shells complete a directory's name with it; what the words can't say, the slash form can:
  // values that end in a slash, control characters, names with slashes or blanks at their ends.
  // Error: invalid/bad_spec, with a caret.
  static Result<PartitionSpec> parse_words(std::span<const std::string> words);

  // Whether every name and value can be part of a lock's path.
  // Error: invalid with code bad_spec, duplicate_key or key_too_long.
  Result<void> check() const;

  const std::string& database() const { return database_; }
  const std::string& table() const { return table_; }  // empty for a database
  const std::vector<PartitionKey>& keys() const { return keys_; }

  // The slash form; `parse` of it gives the same spec. For a spec that passes `check`.
  std::string to_string() const;

  // The path below the lock root, "/db/table/col=value/…", whose components are those of the
  // partition's directory. For a spec that passes `check`.
  std::string path() const;

  // Whether this resource is `other` or contains it. Both in their table's column order.
  bool covers(const PartitionSpec& other) const;

  friend auto operator<=>(const PartitionSpec&, const PartitionSpec&) = default;

 private:
  std::string database_;
  std::string table_;
  std::vector<PartitionKey> keys_;
};

}  // namespace locker
