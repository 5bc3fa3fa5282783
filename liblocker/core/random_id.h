#pragma once

#include <string>

namespace locker::core {

// 128 random bits of the kernel as 32 lower-case hex digits.
std::string random_id();

}  // namespace locker::core
