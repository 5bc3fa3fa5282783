#pragma once

#include <chrono>

namespace locker::backends::local {

// The steady time of the store's thread, which blocks and so has no use for the runtime's Clock.
using StoreTime = std::chrono::steady_clock::time_point;

StoreTime store_now();

// The moment after `patience`; an endless patience never ends.
StoreTime after(std::chrono::milliseconds patience);

// Waits for the next try to get a file lock that another process holds: the kernel has no event for
// that. Others' transactions take well under a millisecond, so the first tries come fast; many
// waiting processes must not burn the processors, so the later ones don't.
void pause_before_try(int tries);

}  // namespace locker::backends::local
