#include "lockd/protocol/values.h"

#include <array>
#include <memory>

#include <nlohmann/json.hpp>

#include "core/time_text.h"

namespace locker::lockd {
namespace {

struct TextMember {
  const char* name;
  std::string OwnerInfo::*text;
};

constexpr std::array owner_texts = std::to_array<TextMember>({
    {"owner", &OwnerInfo::owner},
    {"host", &OwnerInfo::host},
    {"boot", &OwnerInfo::boot},
    {"user", &OwnerInfo::user},
    {"application", &OwnerInfo::application},
    {"command", &OwnerInfo::command},
    {"reason", &OwnerInfo::reason},
});

Errc errc_named(std::string_view name) {
  for (const ErrcRow& row : errc_table()) {
    if (row.name == name) return row.errc;
  }
  return Errc::internal;
}

std::vector<std::string_view> errc_names() {
  std::vector<std::string_view> names;
  for (const ErrcRow& row : errc_table()) names.push_back(row.name);
  return names;
}

}  // namespace

std::string line_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<void> read_body(std::string_view body, std::string what,
                       const std::function<void(Reader&)>& read) {
  const Result<Json> document = parse_object(body);
  if (!document) return document.error();
  Reader from(*document, std::move(what));
  read(from);
  return from.finish();
}

Json json_of(const OwnerInfo& owner) {
  Json to = Json::object();
  for (const TextMember& member : owner_texts) {
    if (!(owner.*member.text).empty()) to[member.name] = owner.*member.text;
  }
  if (owner.pid > 0) to["pid"] = owner.pid;
  if (owner.pid_start > 0) to["pid_start"] = owner.pid_start;
  return to;
}

void read_owner(Reader& from, OwnerInfo& owner) {
  for (const TextMember& member : owner_texts) from.text(member.name, owner.*member.text);
  from.natural("pid", owner.pid);
  from.natural("pid_start", owner.pid_start);
}

Json json_of(const Contender& contender) {
  Json to = Json::object();
  to["entry"] = contender.request;
  to["owner"] = json_of(contender.owner);
  to["session"] = contender.session;
  to["resource"] = contender.resource.to_string();
  to["mode"] = name_of(contender.mode);
  to["since"] = core::utc_text(contender.since);
  to["token"] = contender.token.to_string();
  to["holds"] = contender.holds;
  to["blocked_by"] = contender.blocked_by;
  return to;
}

void read_contender(Reader& from, Contender& contender) {
  from.text("entry", contender.request);
  from.object("owner", "an owner", [&](Reader& inner) { read_owner(inner, contender.owner); });
  from.text("session", contender.session);
  from.spec("resource", contender.resource);
  from.mode("mode", contender.mode);
  from.time("since", contender.since);
  from.token("token", contender.token);
  from.flag("holds", contender.holds);
  from.texts("blocked_by", contender.blocked_by);
}

Json json_of(const TableColumns& columns) {
  Json to = Json::object();
  to["table"] = columns.table.to_string();
  to["columns"] = columns.columns;
  to["set_by"] = columns.set_by;
  to["set_at"] = core::utc_text(columns.set_at);
  to["registered"] = columns.registered;
  return to;
}

void read_columns(Reader& from, TableColumns& columns) {
  from.need("table");
  from.spec("table", columns.table);
  from.texts("columns", columns.columns);
  from.text("set_by", columns.set_by);
  from.time("set_at", columns.set_at);
  from.flag("registered", columns.registered);
}

Json json_of(const LockSet& members) {
  Json to = Json::array();
  for (const LockMember& member : members) {
    Json item = Json::object();
    item["resource"] = member.resource.to_string();
    item["mode"] = name_of(member.mode);
    to.push_back(std::move(item));
  }
  return to;
}

Json json_of(const GrantedMember& member) {
  Json to = Json::object();
  to["resource"] = member.resource.to_string();
  to["mode"] = name_of(member.mode);
  to["token"] = member.token.to_string();
  return to;
}

void read_granted(Reader& from, GrantedMember& member) {
  from.need("resource");
  from.spec("resource", member.resource);
  from.mode("mode", member.mode);
  from.token("token", member.token);
}

void add_error(Json& to, const Error& error) {
  to["title"] = name_of(error.errc);
  to["code"] = error.code;
  to["detail"] = error.message;
  if (error.detail == nullptr) return;
  Json holders = Json::array();
  for (const Contender& holder : error.detail->holders) holders.push_back(json_of(holder));
  to["holders"] = std::move(holders);
  to["place"] = error.detail->place;
}

void read_error(Reader& from, Error& error) {
  static const std::vector<std::string_view> names = errc_names();
  from.word("title", names, [&](std::size_t index) { error.errc = errc_named(names[index]); });
  from.text("code", error.code);
  from.text("detail", error.message);
  ErrorDetail detail;
  from.list("holders", "a holder",
            [&](Reader& inner) { read_contender(inner, detail.holders.emplace_back()); });
  from.natural("place", detail.place);
  const bool detailed = from.has("holders") || from.has("place");
  if (detailed) error.detail = std::make_shared<const ErrorDetail>(std::move(detail));
}

Json json_of_timeout(Milliseconds timeout) {
  if (timeout == wait_for_ever) return "inf";
  return timeout.count();
}

}  // namespace locker::lockd
