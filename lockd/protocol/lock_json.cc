#include <array>

#include <nlohmann/json.hpp>

#include "core/time_text.h"
#include "lockd/protocol/json.h"
#include "lockd/protocol/values.h"

namespace locker::lockd {
namespace {

constexpr std::array<std::string_view, 4> state_names = {"held", "suspended", "lost", "released"};
constexpr std::array states = {LockState::held, LockState::suspended, LockState::lost,
                               LockState::released};

std::string_view name_of_state(LockState state) {
  switch (state) {
    case LockState::held:
      return state_names[0];
    case LockState::suspended:
      return state_names[1];
    case LockState::lost:
      return state_names[2];
    case LockState::released:
      return state_names[3];
  }
  return state_names[2];
}

// What is empty says nothing.
void add_text(Json& to, const char* name, const std::string& text) {
  if (!text.empty()) to[name] = text;
}

}  // namespace

std::string to_json(const AskLock& message) {
  Json to = Json::object();
  to["session"] = message.session;
  add_text(to, "request", message.request);
  to["members"] = json_of(message.members);
  to["timeout_ms"] = json_of_timeout(message.timeout);
  add_text(to, "reason", message.reason);
  add_text(to, "owner", message.owner);
  if (message.tell_waiting) to["tell_waiting"] = true;
  return line_of(to);
}

Result<AskLock> read_ask_lock(std::string_view body) {
  return read_whole<AskLock>(body, "a lock", [](Reader& from, AskLock& message) {
    from.need("session");
    from.need("members");
    from.text("session", message.session);
    from.text("request", message.request);
    from.members("members", message.members);
    from.timeout("timeout_ms", message.timeout);
    from.text("reason", message.reason);
    from.text("owner", message.owner);
    from.flag("tell_waiting", message.tell_waiting);
  });
}

std::string to_json(const HeldLock& message) {
  Json to = Json::object();
  to["id"] = message.id;
  to["request"] = message.request;
  to["entry"] = message.entry;
  to["session"] = message.session;
  to["owner"] = message.owner;
  Json members = Json::array();
  for (const GrantedMember& member : message.members) members.push_back(json_of(member));
  to["members"] = std::move(members);
  to["token"] = message.token.to_string();
  to["escalated"] = message.escalated;
  to["state"] = name_of_state(message.state);
  to["valid_for_ms"] = message.valid_for.count();
  to["granted_at"] = core::utc_text(message.granted_at);
  return line_of(to);
}

Result<HeldLock> read_held_lock(std::string_view body) {
  return read_whole<HeldLock>(body, "a lock", [](Reader& from, HeldLock& message) {
    from.need("id");
    from.need("token");
    from.text("id", message.id);
    from.text("request", message.request);
    from.text("entry", message.entry);
    from.text("session", message.session);
    from.text("owner", message.owner);
    from.list("members", "a lock's member",
              [&](Reader& inner) { read_granted(inner, message.members.emplace_back()); });
    from.token("token", message.token);
    from.flag("escalated", message.escalated);
    from.word("state", {state_names.begin(), state_names.end()},
              [&](std::size_t index) { message.state = states[index]; });
    from.duration("valid_for_ms", message.valid_for);
    from.time("granted_at", message.granted_at);
  });
}

std::string to_json(const WithToken& message) {
  return line_of(Json{{"token", message.token.to_string()}});
}

Result<WithToken> read_with_token(std::string_view body) {
  return read_whole<WithToken>(body, "a lock's verb", [](Reader& from, WithToken& message) {
    from.need("token");
    from.token("token", message.token);
  });
}

std::string to_json(const GiveLock& message) {
  return line_of(Json{{"token", message.token.to_string()}, {"owner", message.owner}});
}

Result<GiveLock> read_give_lock(std::string_view body) {
  return read_whole<GiveLock>(body, "a lock's verb", [](Reader& from, GiveLock& message) {
    from.need("token");
    from.need("owner");
    from.token("token", message.token);
    from.text("owner", message.owner);
  });
}

std::string to_json(const RecordUnderLock& message) {
  return line_of(
      Json{{"token", message.token.to_string()}, {"key", message.key}, {"value", message.value}});
}

Result<RecordUnderLock> read_record_under_lock(std::string_view body) {
  return read_whole<RecordUnderLock>(body, "a record", [](Reader& from, RecordUnderLock& message) {
    from.need("token");
    from.need("key");
    from.token("token", message.token);
    from.text("key", message.key);
    from.text("value", message.value);
  });
}

std::string to_json(const ReleaseByName& message) {
  Json to = Json::object();
  to["session"] = message.session;
  add_text(to, "owner", message.owner);
  to["resource"] = message.resource.to_string();
  return line_of(to);
}

Result<ReleaseByName> read_release_by_name(std::string_view body) {
  return read_whole<ReleaseByName>(body, "a release", [](Reader& from, ReleaseByName& message) {
    from.need("session");
    from.need("resource");
    from.text("session", message.session);
    from.text("owner", message.owner);
    from.spec("resource", message.resource);
  });
}

std::string to_json(const ReleasedLock& message) {
  return line_of(Json{{"id", message.id}});
}

Result<ReleasedLock> read_released_lock(std::string_view body) {
  return read_whole<ReleasedLock>(body, "a release", [](Reader& from, ReleasedLock& message) {
    from.need("id");
    from.text("id", message.id);
  });
}

std::string to_json(const BreakLock& message) {
  return line_of(Json{{"reason", message.reason}});
}

Result<BreakLock> read_break_lock(std::string_view body) {
  return read_whole<BreakLock>(body, "a break", [](Reader& from, BreakLock& message) {
    from.need("reason");
    from.text("reason", message.reason);
  });
}

std::string to_json(const Look& message) {
  Json to = Json::object();
  add_text(to, "session", message.session);
  add_text(to, "owner", message.owner);
  to["members"] = json_of(message.members);
  to["timeout_ms"] = json_of_timeout(message.timeout);
  add_text(to, "reason", message.reason);
  return line_of(to);
}

Result<Look> read_look(std::string_view body) {
  return read_whole<Look>(body, "a look", [](Reader& from, Look& message) {
    from.need("members");
    from.text("session", message.session);
    from.text("owner", message.owner);
    from.members("members", message.members);
    from.timeout("timeout_ms", message.timeout);
    from.text("reason", message.reason);
  });
}

std::string to_json(const CheckToken& message) {
  return line_of(
      Json{{"resource", message.resource.to_string()}, {"token", message.token.to_string()}});
}

Result<CheckToken> read_check_token(std::string_view body) {
  return read_whole<CheckToken>(body, "a check", [](Reader& from, CheckToken& message) {
    from.need("resource");
    from.need("token");
    from.spec("resource", message.resource);
    from.token("token", message.token);
  });
}

}  // namespace locker::lockd
