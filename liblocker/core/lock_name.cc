#include "core/lock_name.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace locker::core {
namespace {

constexpr std::string_view lock_front = "lock_";
constexpr std::string_view companion_front = "m_";
constexpr std::string_view sequence_front = "-lock-";
constexpr std::size_t sequence_width = 10;
constexpr std::size_t id_least = 16;
constexpr std::size_t id_most = 64;

struct ModeAndId {
  LockMode mode;
  std::string id;
};

bool is_id(std::string_view text) {
  return text.size() >= id_least && text.size() <= id_most &&
         std::ranges::all_of(text, [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
         });
}

// `<x|s>_<id>`.
std::optional<ModeAndId> parse_mode_and_id(std::string_view text) {
  const bool exclusive = text.starts_with("x_");
  if (!exclusive && !text.starts_with("s_")) return std::nullopt;
  const std::string_view id = text.substr(2);
  if (!is_id(id)) return std::nullopt;
  return ModeAndId{exclusive ? LockMode::exclusive : LockMode::shared, std::string(id)};
}

std::string write_mode_and_id(std::string_view front, LockMode mode, std::string_view id) {
  std::string out(front);
  out += mode == LockMode::exclusive ? "x_" : "s_";
  out += id;
  return out;
}

// Ten characters, a minus sign among them; the least number alone needs eleven.
std::string write_sequence(std::int32_t sequence) {
  const std::string digits = std::to_string(sequence < 0 ? -std::int64_t{sequence} : sequence);
  const std::string_view sign = sequence < 0 ? "-" : "";
  const std::size_t used = digits.size() + sign.size();
  const std::size_t zeros = used < sequence_width ? sequence_width - used : 0;
  std::string out(sign);
  out.append(zeros, '0');
  return out + digits;
}

}  // namespace

std::string lock_name_prefix(LockMode mode, std::string_view id) {
  return write_mode_and_id(lock_front, mode, id).append(sequence_front);
}

std::string to_string(const LockName& name) {
  return lock_name_prefix(name.mode, name.id) + write_sequence(name.sequence);
}

std::string to_string(const CompanionName& name) {
  return write_mode_and_id(companion_front, name.mode, name.id);
}

std::optional<LockName> parse_lock_name(std::string_view text) {
  if (!text.starts_with(lock_front)) return std::nullopt;
  text.remove_prefix(lock_front.size());
  const std::size_t middle = text.find(sequence_front);
  if (middle == std::string_view::npos) return std::nullopt;
  auto front = parse_mode_and_id(text.substr(0, middle));
  if (!front) return std::nullopt;
  const std::string_view digits = text.substr(middle + sequence_front.size());
  std::int32_t sequence = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, sequence);
  if (error != std::errc() || stopped != end || write_sequence(sequence) != digits) {
    return std::nullopt;
  }
  return LockName{front->mode, std::move(front->id), sequence};
}

std::optional<CompanionName> parse_companion_name(std::string_view text) {
  if (!text.starts_with(companion_front)) return std::nullopt;
  auto rest = parse_mode_and_id(text.substr(companion_front.size()));
  if (!rest) return std::nullopt;
  return CompanionName{rest->mode, std::move(rest->id)};
}

bool is_reserved_name(std::string_view text) {
  return parse_lock_name(text).has_value() || parse_companion_name(text).has_value();
}

bool sequence_before(std::int32_t left, std::int32_t right) {
  const std::uint32_t distance =
      static_cast<std::uint32_t>(right) - static_cast<std::uint32_t>(left);
  return distance != 0 && distance < (std::uint32_t{1} << 31U);
}

}  // namespace locker::core
