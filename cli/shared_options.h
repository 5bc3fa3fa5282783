#pragma once

#include "cli/options.h"

namespace locker::cli {

// Options that several commands share, each defined once.
inline constexpr OptionSpec option_partition{
    "-p,--partition", "SLASHFORM",
    "a resource in the slash form DB.TABLE/COL=VALUE/…, Hive-escaped; may be repeated", true};
inline constexpr OptionSpec option_shared{"-s,--shared", "",
                                          "lock shared: together with other readers"};
inline constexpr OptionSpec option_nonblock{"-n,--nonblock", "",
                                            "take the lock now or not at all, as -w 0"};
inline constexpr OptionSpec option_reason{"--reason", "TEXT", "why, for those who wait"};

}  // namespace locker::cli
