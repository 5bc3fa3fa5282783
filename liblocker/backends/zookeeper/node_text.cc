#include "backends/zookeeper/node_text.h"

#include <nlohmann/json.hpp>

#include "core/owner_json.h"

namespace locker::backends::zookeeper {
namespace {

using nlohmann::json;

std::string written(const json& document) {
  return document.dump(-1, ' ', true, json::error_handler_t::replace);
}

// An object whatever was there.
json object_of(std::string_view text) {
  json document = json::parse(text, nullptr, false);
  return document.is_object() ? document : json::object();
}

std::string text_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

WallMs number_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<WallMs>() : 0;
}

bool flag_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

void put(json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

json members_json(const std::vector<core::Place>& members) {
  json list = json::array();
  for (const core::Place& place : members) {
    const char* mode = place.mode == LockMode::exclusive ? "x" : "s";
    list.push_back(json::array({mode, place.resource.path()}));
  }
  return list;
}

std::vector<core::Place> members_in(const json& list) {
  std::vector<core::Place> members;
  if (!list.is_array()) return members;
  for (const json& entry : list) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_string()) {
      continue;
    }
    const LockMode mode = entry[0] == "s" ? LockMode::shared : LockMode::exclusive;
    members.push_back({core::Resource::from_path(entry[1].get<std::string>()), mode});
  }
  return members;
}

Error unreadable(const char* what) {
  return make_error(Errc::internal, "bad_json",
                    std::string("The ") + what +
                        " in ZooKeeper is not what this program writes: was it changed by hand?");
}

}  // namespace

std::string to_json(const LockText& text) {
  json object = json::object();
  put(object, "proof", text.proof);
  if (text.since_ms != 0) object["since_ms"] = text.since_ms;
  put(object, "reason", text.reason);
  put(object, "first", text.first);
  put(object, "owner", text.owner);
  if (text.lowered) object["lowered"] = true;
  if (!text.members.empty()) object["members"] = members_json(text.members);
  return written(object);
}

LockText lock_text(std::string_view text) {
  const json object = object_of(text);
  LockText lock;
  lock.proof = text_in(object, "proof");
  lock.since_ms = number_in(object, "since_ms");
  lock.reason = text_in(object, "reason");
  lock.first = text_in(object, "first");
  lock.owner = text_in(object, "owner");
  lock.lowered = flag_in(object, "lowered");
  if (object.contains("members")) lock.members = members_in(object["members"]);
  return lock;
}

std::string to_json(const SessionText& text) {
  json object = json::object();
  object["process"] = json::parse(core::owner_to_json(text.process));
  object["opened_ms"] = text.opened_ms;
  object["beat_ms"] = text.beat_ms;
  object["timeout_ms"] = text.timeout_ms;
  return written(object);
}

SessionText session_text(std::string_view text) {
  const json object = object_of(text);
  SessionText session;
  session.opened_ms = number_in(object, "opened_ms");
  session.beat_ms = number_in(object, "beat_ms");
  session.timeout_ms = number_in(object, "timeout_ms");
  if (const auto process = object.find("process"); process != object.end()) {
    Result<OwnerInfo> read = core::owner_from_json(process->dump());
    if (read) session.process = *std::move(read);
  }
  return session;
}

std::string to_json(const TableText& text) {
  json object = json::object();
  object["columns"] = text.columns;
  put(object, "set_by", text.set_by);
  object["set_at_ms"] = text.set_at_ms;
  object["registered"] = text.registered;
  if (!text.earlier_depths.empty()) object["earlier_depths"] = text.earlier_depths;
  return written(object);
}

Result<TableText> table_text(std::string_view text) {
  TableText table;
  if (text.empty()) return table;
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return unreadable("column order of a table");
  const auto columns = object.find("columns");
  if (columns == object.end() || !columns->is_array()) return unreadable("column order of a table");
  for (const json& column : *columns) {
    if (!column.is_string()) return unreadable("column order of a table");
    table.columns.push_back(column.get<std::string>());
  }
  table.set_by = text_in(object, "set_by");
  table.set_at_ms = number_in(object, "set_at_ms");
  table.registered = flag_in(object, "registered");
  if (const auto depths = object.find("earlier_depths"); depths != object.end()) {
    for (const json& depth : *depths) {
      if (depth.is_number_integer()) table.earlier_depths.push_back(depth.get<int>());
    }
  }
  return table;
}

std::string members_to_json(const std::vector<core::Place>& members) {
  return written(members_json(members));
}

std::vector<core::Place> members_of_json(std::string_view text) {
  return members_in(json::parse(text, nullptr, false));
}

std::string to_json(const BrokenText& text) {
  json object = json::object();
  put(object, "reason", text.reason);
  put(object, "by", text.by);
  object["at_ms"] = text.at_ms;
  if (text.timeout_ms != 0) object["timeout_ms"] = text.timeout_ms;
  return written(object);
}

BrokenText broken_text(std::string_view text) {
  const json object = object_of(text);
  return {text_in(object, "reason"), text_in(object, "by"), number_in(object, "at_ms"),
          number_in(object, "timeout_ms")};
}

std::string prepared_to_json(WallMs until_ms) {
  return written(json{{"until_ms", until_ms}});
}

std::optional<WallMs> prepared_until(std::string_view text) {
  const json object = object_of(text);
  if (!object.contains("until_ms")) return std::nullopt;
  return number_in(object, "until_ms");
}

std::string to_json(const RecordText& text) {
  json object = json::object();
  object["key"] = text.key;
  object["value"] = text.value;
  return written(object);
}

Result<RecordText> record_text(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return unreadable("record");
  return RecordText{text_in(object, "key"), text_in(object, "value")};
}

std::string to_json(const FormatText& text) {
  json object = json::object();
  object["version"] = text.version;
  object["least_reader"] = text.least_reader;
  return written(object);
}

Result<FormatText> format_text(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return unreadable("format's version");
  FormatText format;
  format.version = static_cast<int>(number_in(object, "version"));
  format.least_reader = static_cast<int>(number_in(object, "least_reader"));
  if (format.version < 1 || format.least_reader < 1) return unreadable("format's version");
  return format;
}

}  // namespace locker::backends::zookeeper
