#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <locker/lock_mode.h>

namespace locker::core {

// The name of a lock's node: `lock_<x|s>_<id>-lock-<10 digits>`. The coordinator appends the
// digits: its sequence for the parent, a 32-bit number with sign that wraps at 2^31.
struct LockName {
  LockMode mode = LockMode::exclusive;
  std::string id;  // of the request, 16 to 64 lower-case hex digits
  std::int32_t sequence = 0;

  friend bool operator==(const LockName&, const LockName&) = default;
};

// The name of the node that a lock puts below its resource, `m_<x|s>_<id>`, where finer locks look.
struct CompanionName {
  LockMode mode = LockMode::exclusive;
  std::string id;

  friend bool operator==(const CompanionName&, const CompanionName&) = default;
};

// What a lock's node is called before the coordinator appends the sequence.
std::string lock_name_prefix(LockMode mode, std::string_view id);
std::string to_string(const LockName& name);
std::string to_string(const CompanionName& name);

// Read exactly what to_string writes, and nothing else.
std::optional<LockName> parse_lock_name(std::string_view text);
std::optional<CompanionName> parse_companion_name(std::string_view text);

// Whether a name is one of these, so that no table may have it.
bool is_reserved_name(std::string_view text);

// Whether `left` was given out before `right`, across the wrap: right as long as fewer than 2^31
// numbers lie between them.
bool sequence_before(std::int32_t left, std::int32_t right);

}  // namespace locker::core
