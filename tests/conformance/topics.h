#pragma once

#include <span>

#include "tests/conformance/conformance.h"

namespace locker::conformance {

// The checks of each topic; one source file each.
std::span<const Check> exclusion_checks();
std::span<const Check> order_checks();
std::span<const Check> hierarchy_checks();
std::span<const Check> name_checks();
std::span<const Check> set_checks();
std::span<const Check> large_set_checks();
std::span<const Check> token_checks();
std::span<const Check> owner_checks();
std::span<const Check> upgrade_checks();
std::span<const Check> waiting_checks();
std::span<const Check> crowd_checks();
std::span<const Check> deadlock_checks();
std::span<const Check> release_checks();
std::span<const Check> listing_checks();
std::span<const Check> column_checks();
std::span<const Check> record_checks();
std::span<const Check> loss_checks();
std::span<const Check> mixed_checks();

}  // namespace locker::conformance
