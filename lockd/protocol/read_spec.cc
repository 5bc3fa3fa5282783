#include <utility>

#include <nlohmann/json.hpp>

#include "lockd/protocol/reader.h"

namespace locker::lockd {
namespace {

constexpr std::string_view what_a_resource_is =
    "a resource, \"db.table/column=value\" or {\"database\", \"table\", \"partition\"}";

// The form for whoever has the names apart and does not want to escape anything.
Result<PartitionSpec> spec_of_object(const Json& object) {
  Reader from(object, "a resource");
  std::string database;
  std::string table;
  from.need("database");
  from.text("database", database);
  from.text("table", table);
  PartitionSpec spec(database, table);
  Error not_a_text = make_error(Errc::invalid, "bad_spec",
                                "Every value of a resource's partition must be a text.");
  bool texts = true;
  from.object_of_texts("partition", [&](const std::string& column, const std::string* value) {
    texts = texts && value != nullptr;
    if (value != nullptr) spec.with(column, *value);
  });
  Result<void> read = from.finish();
  if (!read) return read.error();
  if (!texts) return not_a_text;
  return spec;
}

Result<PartitionSpec> checked(Result<PartitionSpec> spec) {
  if (!spec) return spec;
  Result<void> right = spec->check();
  if (!right) return right.error();
  return spec;
}

}  // namespace

void Reader::object_of_texts(
    std::string_view name,
    const std::function<void(const std::string& name, const std::string* value)>& read) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_object()) return wrong(name, "an object of texts");
  for (const auto& [key, value] : found->items()) read(key, value.get_ptr<const std::string*>());
}

bool Reader::read_spec(std::string_view name, const Json& item, PartitionSpec& value) {
  const auto* written = item.get_ptr<const std::string*>();
  if (written == nullptr && !item.is_object()) {
    wrong(name, what_a_resource_is);
    return false;
  }
  Result<PartitionSpec> read =
      checked(written != nullptr ? PartitionSpec::parse(*written) : spec_of_object(item));
  if (!read) {
    fail(std::move(read).error());
    return false;
  }
  value = *std::move(read);
  return true;
}

void Reader::spec(std::string_view name, PartitionSpec& value) {
  const Json* found = find(name);
  if (found != nullptr) read_spec(name, *found, value);
}

void Reader::specs(std::string_view name, std::vector<PartitionSpec>& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_array()) return wrong(name, "a list of resources");
  for (const Json& item : *found) {
    if (!read_spec(name, item, value.emplace_back())) return;
  }
}

void Reader::members(std::string_view name, LockSet& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_array() || found->empty()) {
    return wrong(name, "a list of {\"resource\", \"mode\"} or of resources, one or more");
  }
  for (const Json& item : *found) {
    if (error_.has_value()) return;
    LockMember& member = value.emplace_back();
    const bool with_mode = item.is_object() && item.contains("resource");
    if (!with_mode) {
      read_spec(name, item, member.resource);
      continue;
    }
    Reader inner(item, "a lock's member");
    inner.spec("resource", member.resource);
    inner.mode("mode", member.mode);
    Result<void> finished = inner.finish();
    if (!finished) fail(std::move(finished).error());
  }
}

}  // namespace locker::lockd
