#include "core/owner_json.h"

#include <array>
#include <cstdint>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/utf8.h"

namespace locker::core {
namespace {

using nlohmann::json;

struct TextMember {
  const char* name;
  std::string OwnerInfo::*text;
};

constexpr std::array text_members = std::to_array<TextMember>({
    {"owner", &OwnerInfo::owner},
    {"host", &OwnerInfo::host},
    {"boot", &OwnerInfo::boot},
    {"user", &OwnerInfo::user},
    {"application", &OwnerInfo::application},
    {"command", &OwnerInfo::command},
    {"reason", &OwnerInfo::reason},
});

struct NumberMember {
  const char* name;
  std::int64_t OwnerInfo::*number;
};

constexpr std::array number_members = std::to_array<NumberMember>({
    {"pid", &OwnerInfo::pid},
    {"pid_start", &OwnerInfo::pid_start},
});

Error bad_json(std::string sentence) {
  return make_error(Errc::invalid, "bad_json", std::move(sentence));
}

// Well-formed and within the limit.
std::string clean(std::string_view text) {
  std::string out;
  for (std::size_t offset = 0; offset < text.size();) {
    const Character character = front_character(text.substr(offset));
    const std::string_view bytes =
        character.valid ? text.substr(offset, character.size) : std::string_view("\uFFFD");
    if (out.size() + bytes.size() > owner_text_limit_bytes) break;
    out += bytes;
    offset += character.size;
  }
  return out;
}

Result<void> read_text(const json& document, const TextMember& member, OwnerInfo& owner) {
  const auto found = document.find(member.name);
  if (found == document.end()) return {};
  const auto* text = found->get_ptr<const json::string_t*>();
  if (text == nullptr) return bad_json(std::string(member.name) + " of an owner is no text.");
  if (text->size() > owner_text_limit_bytes) {
    return bad_json(std::string(member.name) + " of an owner is too long.");
  }
  owner.*member.text = *text;
  return {};
}

Result<void> read_number(const json& document, const NumberMember& member, OwnerInfo& owner) {
  const auto found = document.find(member.name);
  if (found == document.end()) return {};
  // What is not negative is parsed as unsigned; made in memory it may be either.
  constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto* number = found->get_ptr<const json::number_unsigned_t*>();
  if (number == nullptr || *number > greatest) {
    return bad_json(std::string(member.name) + " of an owner is no natural number.");
  }
  owner.*member.number = static_cast<std::int64_t>(*number);
  return {};
}

}  // namespace

std::string owner_to_json(const OwnerInfo& owner) {
  json document = json::object();
  for (const TextMember& member : text_members) {
    const std::string text = clean(owner.*member.text);
    if (!text.empty()) document[member.name] = text;
  }
  for (const NumberMember& member : number_members) {
    const std::int64_t number = owner.*member.number;
    if (number > 0) document[member.name] = number;
  }
  return document.dump(-1, ' ', true, json::error_handler_t::replace);
}

Result<OwnerInfo> owner_from_json(std::string_view text) {
  if (text.size() > owner_json_limit_bytes) return bad_json("The JSON of an owner is too long.");
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return bad_json("An owner is one JSON object, and this is none.");
  OwnerInfo owner;
  for (const TextMember& member : text_members) {
    Result<void> read = read_text(document, member, owner);
    if (!read) return read.error();
  }
  for (const NumberMember& member : number_members) {
    Result<void> read = read_number(document, member, owner);
    if (!read) return read.error();
  }
  return owner;
}

}  // namespace locker::core
