#include "cli/json_text.h"

#include <nlohmann/json.hpp>

#include "cli/render.h"

namespace locker::cli {
namespace {

std::string owner_json(const OwnerInfo& owner) {
  return JsonObject()
      .text("id", owner.owner)
      .text("host", owner.host)
      .number("pid", owner.pid)
      .text("user", owner.user)
      .text_or_null("application", owner.application)
      .text_or_null("command", owner.command)
      .text_or_null("reason", owner.reason)
      .take();
}

}  // namespace

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

JsonObject& JsonObject::raw(std::string_view key, std::string_view json) {
  if (!members_.empty()) members_ += ',';
  members_ += json_string(key) + ":" + std::string(json);
  return *this;
}

JsonObject& JsonObject::text(std::string_view key, std::string_view value) {
  return raw(key, json_string(value));
}

JsonObject& JsonObject::text_or_null(std::string_view key, std::string_view value) {
  return raw(key, value.empty() ? "null" : json_string(value));
}

JsonObject& JsonObject::number(std::string_view key, std::int64_t value) {
  return raw(key, std::to_string(value));
}

JsonObject& JsonObject::yes_no(std::string_view key, bool value) {
  return raw(key, value ? "true" : "false");
}

std::string json_list(std::span<const std::string> items) {
  std::string text = "[";
  for (const std::string& item : items) {
    if (text.size() > 1) text += ',';
    text += item;
  }
  return text + "]";
}

std::string json_strings(std::span<const std::string> texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(json_string(text));
  return json_list(items);
}

std::string contender_json(const Contender& contender) {
  return JsonObject()
      .text("resource", contender.resource.to_string())
      .text("mode", name_of(contender.mode))
      .text("state", contender.holds ? "holds" : "waits")
      .text("request", contender.request)
      .raw("owner", owner_json(contender.owner))
      .text("session", contender.session)
      .text("since", utc_text(contender.since))
      .text("token", contender.token.to_string())
      .raw("blocked_by", json_strings(contender.blocked_by))
      .take();
}

std::string contenders_json(std::span<const Contender> contenders) {
  std::vector<std::string> items;
  for (const Contender& each : contenders) items.push_back(contender_json(each));
  return json_list(items);
}

std::string session_json(const SessionInfo& session) {
  JsonObject object;
  object.text("session", session.id)
      .raw("process", owner_json(session.process))
      .yes_no("alive", session.alive)
      .text("liveness", session.liveness)
      .text("opened", utc_text(session.opened))
      .number("locks", session.locks)
      .yes_no("foreign", session.foreign)
      .yes_no("broken", session.broken);
  const auto duration = [&](std::string_view key, const auto& value) {
    if (value) {
      object.number(key, value->count());
    } else {
      object.raw(key, "null");
    }
  };
  duration("heartbeat_age_ms", session.heartbeat_age);
  duration("timeout_ms", session.timeout);
  return object.take();
}

std::string table_columns_json(const TableColumns& table) {
  return JsonObject()
      .text("table", table.table.to_string())
      .raw("columns", json_strings(table.columns))
      .text("set_by", table.set_by)
      .text("set_at", utc_text(table.set_at))
      .yes_no("registered", table.registered)
      .take();
}

std::string error_json(const Error& error, int exit_code) {
  JsonObject inner;
  inner.text("class", name_of(error.errc))
      .text("code", error.code)
      .text("message", error.message)
      .number("exit_code", exit_code);
  if (error.detail != nullptr) {
    inner.raw("holders", contenders_json(error.detail->holders))
        .number("place", error.detail->place);
  }
  return JsonObject().raw("error", inner.take()).take();
}

std::string tokens_json(std::span<const GrantedMember> members) {
  JsonObject object;
  for (const GrantedMember& member : members) {
    object.text(member.resource.to_string(), member.token.to_string());
  }
  return object.take();
}

std::string json_member(std::string_view object, std::string_view name) {
  const nlohmann::json parsed = nlohmann::json::parse(object, nullptr, false);
  if (!parsed.is_object()) return "";
  const auto found = parsed.find(std::string(name));
  if (found == parsed.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace locker::cli
