#include <locker/partition_spec.h>

#include <algorithm>

#include "core/path_codec.h"
#include "core/utf8.h"
#include "core/visible_text.h"

namespace locker {
namespace {

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 80;
  if (text.size() > longest) return "'" + core::visible_text(text.substr(0, longest)) + "…'";
  return "'" + core::visible_text(text) + "'";
}

// `what` is e.g. "The table".
Result<void> check_text(std::string_view what, std::string_view text) {
  const std::size_t bad = core::find_bad_utf8(text);
  if (bad == std::string_view::npos) return {};
  return make_error(Errc::invalid, "bad_spec",
                    std::string(what) + " " + quoted(text) + " is not UTF-8 at byte " +
                        std::to_string(bad + 1) + "; write it in UTF-8.");
}

Result<void> check_length(std::string_view what, std::string_view component) {
  if (component.size() <= core::component_limit_bytes) return {};
  return make_error(Errc::invalid, "key_too_long",
                    std::string(what) + " " + quoted(component) + " takes " +
                        std::to_string(component.size()) + " bytes with its escapes; at most " +
                        std::to_string(core::component_limit_bytes) + " are possible.");
}

Result<void> check_name(std::string_view what, std::string_view name) {
  Result<void> text = check_text(what, name);
  if (!text) return text;
  return check_length(what, core::escape_name(name));
}

Result<void> check_key(const PartitionKey& key) {
  if (key.column.empty()) {
    return make_error(Errc::invalid, "bad_spec",
                      "The value " + quoted(key.value) + " has no column; write column=value.");
  }
  Result<void> column = check_text("The column", key.column);
  if (!column) return column;
  Result<void> value = check_text("The value", key.value);
  if (!value) return value;
  return check_length("The partition component", core::escape_key(key.column, key.value));
}

// The text forms refuse names that begin or end with a blank, so such a blank is written escaped.
std::string with_visible_ends(std::string name) {
  if (name.ends_with(' ')) name.replace(name.size() - 1, 1, "%20");
  if (name.starts_with(' ')) name.replace(0, 1, "%20");
  return name;
}

// The first dot parts database and table, so a dot in the database's name is escaped too.
std::string text_of_database(const std::string& component) {
  std::string out;
  for (const char letter : with_visible_ends(component)) {
    if (letter == '.') {
      out += "%2E";
    } else {
      out.push_back(letter);
    }
  }
  return out;
}

}  // namespace

PartitionSpec::PartitionSpec(std::string_view database) : database_(core::lower_ascii(database)) {}

PartitionSpec::PartitionSpec(std::string_view database, std::string_view table)
    : database_(core::lower_ascii(database)), table_(core::lower_ascii(table)) {}

PartitionSpec& PartitionSpec::with(std::string_view column, std::string_view value) & {
  keys_.push_back(
      {core::lower_ascii(column), std::string(value.empty() ? core::default_partition : value)});
  return *this;
}

PartitionSpec&& PartitionSpec::with(std::string_view column, std::string_view value) && {
  return std::move(with(column, value));
}

Result<void> PartitionSpec::check() const {
  if (database_.empty()) {
    return make_error(Errc::invalid, "bad_spec",
                      "The database's name is empty; write db.table or db.table/column=value.");
  }
  Result<void> database = check_name("The database", database_);
  if (!database) return database;
  if (table_.empty() && !keys_.empty()) {
    return make_error(Errc::invalid, "bad_spec",
                      "A partition of " + quoted(database_) +
                          " is named without its table; write db.table/column=value.");
  }
  Result<void> table = check_name("The table", table_);
  if (!table) return table;
  constexpr std::size_t most_keys = core::level_limit - 2;
  if (keys_.size() > most_keys) {
    return make_error(Errc::invalid, "bad_spec",
                      "A partition of " + quoted(table_) + " is named by " +
                          std::to_string(keys_.size()) + " columns; at most " +
                          std::to_string(most_keys) + " are possible.");
  }
  for (auto key = keys_.begin(); key != keys_.end(); ++key) {
    Result<void> checked = check_key(*key);
    if (!checked) return checked;
    const bool repeated = std::any_of(keys_.begin(), key, [&](const PartitionKey& earlier) {
      return earlier.column == key->column;
    });
    if (repeated) {
      return make_error(
          Errc::invalid, "duplicate_key",
          "The column " + quoted(key->column) + " is given twice; give each column one value.");
    }
  }
  return {};
}

std::string PartitionSpec::to_string() const {
  std::string out = text_of_database(core::escape_name(database_));
  if (!table_.empty()) out += "." + with_visible_ends(core::escape_name(table_));
  for (const PartitionKey& key : keys_) {
    const std::string component = core::escape_key(key.column, key.value);
    const std::size_t equals = component.find('=');
    out += "/" + with_visible_ends(component.substr(0, equals)) + component.substr(equals);
  }
  return out;
}

std::string PartitionSpec::path() const {
  std::string out = "/" + core::escape_name(database_);
  if (!table_.empty()) out += "/" + core::escape_name(table_);
  for (const PartitionKey& key : keys_) out += "/" + core::escape_key(key.column, key.value);
  return out;
}

bool PartitionSpec::covers(const PartitionSpec& other) const {
  if (database_ != other.database_) return false;
  if (table_.empty()) return keys_.empty() || *this == other;
  return table_ == other.table_ && keys_.size() <= other.keys_.size() &&
         std::equal(keys_.begin(), keys_.end(), other.keys_.begin());
}

}  // namespace locker
