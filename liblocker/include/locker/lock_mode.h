#pragma once

#include <string_view>

namespace locker {

// How a resource is locked. Two locks of different owners conflict when one's resource equals or
// contains the other's and at least one of them is exclusive.
enum class LockMode { exclusive, shared };

// "exclusive" or "shared".
constexpr std::string_view name_of(LockMode mode) {
  return mode == LockMode::exclusive ? "exclusive" : "shared";
}

// Whether a lock of mode `held` gives everything that one of mode `asked` would.
constexpr bool at_least(LockMode held, LockMode asked) {
  return held == LockMode::exclusive || asked == LockMode::shared;
}

}  // namespace locker
