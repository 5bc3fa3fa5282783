#include <array>

#include <nlohmann/json.hpp>

#include "core/time_text.h"
#include "lockd/protocol/json.h"
#include "lockd/protocol/values.h"

namespace locker::lockd {
namespace {

using lockd::json_of;

using Time = std::chrono::system_clock::time_point;

Json json_of(const std::optional<Milliseconds>& duration) {
  return duration.has_value() ? Json(duration->count()) : Json(nullptr);
}

Json json_of(const std::optional<Time>& time) {
  return time.has_value() ? Json(core::utc_text(*time)) : Json(nullptr);
}

Json json_of(const SessionInfo& session) {
  Json to = Json::object();
  to["id"] = session.id;
  to["process"] = json_of(session.process);
  to["alive"] = session.alive;
  to["liveness"] = session.liveness;
  to["opened"] = core::utc_text(session.opened);
  to["heartbeat_age_ms"] = json_of(session.heartbeat_age);
  to["timeout_ms"] = json_of(session.timeout);
  to["locks"] = session.locks;
  to["foreign"] = session.foreign;
  to["broken"] = session.broken;
  return to;
}

void read_session(Reader& from, SessionInfo& session) {
  from.need("id");
  from.text("id", session.id);
  from.object("process", "a process", [&](Reader& inner) { read_owner(inner, session.process); });
  from.flag("alive", session.alive);
  from.text("liveness", session.liveness);
  from.time("opened", session.opened);
  from.optional_duration("heartbeat_age_ms", session.heartbeat_age);
  from.optional_duration("timeout_ms", session.timeout);
  from.natural("locks", session.locks);
  from.flag("foreign", session.foreign);
  from.flag("broken", session.broken);
}

Json json_of(const LeftOver& left_over) {
  Json to = Json::object();
  to["place"] = left_over.place;
  to["what"] = left_over.what;
  to["since"] = core::utc_text(left_over.since);
  return to;
}

void read_left_over(Reader& from, LeftOver& left_over) {
  from.text("place", left_over.place);
  from.text("what", left_over.what);
  from.time("since", left_over.since);
}

Json json_of(const HistoryEntry& entry) {
  Json to = Json::object();
  to["entry"] = entry.entry;
  to["resource"] = entry.resource.to_string();
  to["mode"] = name_of(entry.mode);
  to["owner"] = json_of(entry.owner);
  to["token"] = entry.token.to_string();
  to["asked_at"] = core::utc_text(entry.asked_at);
  to["granted_at"] = json_of(entry.granted_at);
  to["ended_at"] = json_of(entry.ended_at);
  to["end"] = entry.end;
  return to;
}

void read_entry(Reader& from, HistoryEntry& entry) {
  from.text("entry", entry.entry);
  from.spec("resource", entry.resource);
  from.mode("mode", entry.mode);
  from.object("owner", "an owner", [&](Reader& inner) { read_owner(inner, entry.owner); });
  from.token("token", entry.token);
  from.time("asked_at", entry.asked_at);
  from.optional_time("granted_at", entry.granted_at);
  from.optional_time("ended_at", entry.ended_at);
  from.text("end", entry.end);
}

template <typename T>
Json list_of(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(json_of(item));
  return list;
}

template <typename T>
std::string list_line(const char* name, const std::vector<T>& items) {
  Json to = Json::object();
  to[name] = list_of(items);
  return line_of(to);
}

// A body of one list; `read` reads one item of it.
template <typename T>
Result<std::vector<T>> read_list(std::string_view body, const char* name, const char* what,
                                 void (*read)(Reader&, T&)) {
  return read_whole<std::vector<T>>(body, "the answer", [=](Reader& from, std::vector<T>& items) {
    from.need(name);
    from.list(name, what, [&](Reader& inner) { read(inner, items.emplace_back()); });
  });
}

}  // namespace

std::string to_json(const Contenders& message) {
  Json to = Json::object();
  to["contenders"] = list_of(message.contenders);
  to["next"] = message.next;
  return line_of(to);
}

Result<Contenders> read_contenders(std::string_view body) {
  return read_whole<Contenders>(body, "a listing", [](Reader& from, Contenders& message) {
    from.need("contenders");
    from.list("contenders", "a contender",
              [&](Reader& inner) { read_contender(inner, message.contenders.emplace_back()); });
    from.text("next", message.next);
  });
}

std::string to_json(const StoreFacts& message) {
  Json to = Json::object();
  to["version"] = message.version;
  to["url"] = message.url;
  to["warnings"] = message.warnings;
  to["advice"] = message.advice;
  return line_of(to);
}

Result<StoreFacts> read_store_facts(std::string_view body) {
  return read_whole<StoreFacts>(body, "a store", [](Reader& from, StoreFacts& message) {
    from.need("url");
    from.text("version", message.version);
    from.text("url", message.url);
    from.texts("warnings", message.warnings);
    from.texts("advice", message.advice);
  });
}

std::string to_json(const TableColumns& message) {
  return line_of(json_of(message));
}

Result<TableColumns> read_table_columns(std::string_view body) {
  return read_whole<TableColumns>(body, "a table", read_columns);
}

std::string to_json(const RegisterTable& message) {
  return line_of(Json{{"columns", message.columns}, {"replace", message.replace}});
}

Result<RegisterTable> read_register_table(std::string_view body) {
  return read_whole<RegisterTable>(body, "a table", [](Reader& from, RegisterTable& message) {
    from.need("columns");
    from.texts("columns", message.columns);
    from.flag("replace", message.replace);
  });
}

std::string to_json(const Prepare& message) {
  Json partitions = Json::array();
  for (const PartitionSpec& partition : message.partitions) {
    partitions.push_back(partition.to_string());
  }
  Json to = Json::object();
  to["partitions"] = std::move(partitions);
  to["until"] = core::utc_text(message.until);
  return line_of(to);
}

Result<Prepare> read_prepare(std::string_view body) {
  return read_whole<Prepare>(body, "a preparation", [](Reader& from, Prepare& message) {
    from.need("partitions");
    from.need("until");
    from.specs("partitions", message.partitions);
    from.time("until", message.until);
  });
}

std::string sessions_json(const std::vector<SessionInfo>& sessions) {
  return list_line("sessions", sessions);
}

Result<std::vector<SessionInfo>> read_sessions(std::string_view body) {
  return read_list<SessionInfo>(body, "sessions", "a session", read_session);
}

std::string tables_json(const std::vector<TableColumns>& tables) {
  Json list = Json::array();
  for (const TableColumns& table : tables) list.push_back(json_of(table));
  return line_of(Json{{"tables", std::move(list)}});
}

Result<std::vector<TableColumns>> read_tables(std::string_view body) {
  return read_list<TableColumns>(body, "tables", "a table", read_columns);
}

std::string left_overs_json(const std::vector<LeftOver>& left_overs) {
  return list_line("left_overs", left_overs);
}

Result<std::vector<LeftOver>> read_left_overs(std::string_view body) {
  return read_list<LeftOver>(body, "left_overs", "a left-over", read_left_over);
}

std::string history_json(const std::vector<HistoryEntry>& entries) {
  return list_line("entries", entries);
}

Result<std::vector<HistoryEntry>> read_history(std::string_view body) {
  return read_list<HistoryEntry>(body, "entries", "an entry", read_entry);
}

std::string broken_json(Broken broken) {
  return line_of(Json{{"broken", broken == Broken::let_go ? "let_go" : "forced"}});
}

Result<Broken> read_broken(std::string_view body) {
  return read_whole<Broken>(body, "the answer", [](Reader& from, Broken& broken) {
    from.need("broken");
    from.word("broken", {"let_go", "forced"},
              [&](std::size_t index) { broken = index == 0 ? Broken::let_go : Broken::forced; });
  });
}

std::string made_json(const std::optional<int>& made) {
  return line_of(Json{{"made", made.has_value() ? Json(*made) : Json(nullptr)}});
}

Result<std::optional<int>> read_made(std::string_view body) {
  return read_whole<std::optional<int>>(body, "the answer",
                                        [](Reader& from, std::optional<int>& made) {
                                          from.need("made");
                                          from.optional_natural("made", made);
                                        });
}

std::string removed_json(int removed) {
  return line_of(Json{{"removed", removed}});
}

Result<int> read_removed(std::string_view body) {
  return read_whole<int>(body, "the answer", [](Reader& from, int& removed) {
    from.need("removed");
    from.natural("removed", removed);
  });
}

std::string value_json(const std::optional<std::string>& value) {
  return line_of(Json{{"value", value.has_value() ? Json(*value) : Json(nullptr)}});
}

Result<std::optional<std::string>> read_value(std::string_view body) {
  return read_whole<std::optional<std::string>>(
      body, "the answer", [](Reader& from, std::optional<std::string>& value) {
        from.need("value");
        from.optional_text("value", value);
      });
}

}  // namespace locker::lockd
