#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locker/listing.h>
#include <locker/lock_handle.h>
#include <locker/result.h>

namespace locker::cli {

// Builds one JSON object as text, its members in the order in which they were added. Bytes that are
// not UTF-8 are replaced.
class JsonObject {
 public:
  JsonObject& text(std::string_view key, std::string_view value);
  // Null where there is no value.
  JsonObject& text_or_null(std::string_view key, std::string_view value);
  JsonObject& number(std::string_view key, std::int64_t value);
  JsonObject& yes_no(std::string_view key, bool value);
  // `json` is JSON already.
  JsonObject& raw(std::string_view key, std::string_view json);
  std::string take() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

// "[a,b]" of items that are JSON already.
std::string json_list(std::span<const std::string> items);
std::string json_string(std::string_view text);
std::string json_strings(std::span<const std::string> texts);

std::string contender_json(const Contender& contender);
std::string contenders_json(std::span<const Contender> contenders);
std::string session_json(const SessionInfo& session);
std::string table_columns_json(const TableColumns& table);
// {"error": {"class", "code", "message", "exit_code", "holders", "place"}}
std::string error_json(const Error& error, int exit_code);
// {"ods.t/dt=1": "<token>", …}
std::string tokens_json(std::span<const GrantedMember> members);

// The member `name` of a JSON object, as text; empty if there is none or this is no JSON.
std::string json_member(std::string_view object, std::string_view name);

}  // namespace locker::cli
