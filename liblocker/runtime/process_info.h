#pragma once

#include <string>
#include <string_view>

#include <locker/listing.h>

namespace locker::runtime {

// This process as listings show it: host, pid and its start time, boot, user and command. `owner`
// and `reason` stay empty: they belong to a request.
OwnerInfo describe_self(std::string_view application);

// Whether the very process that `info` describes runs now: in this boot of this host, with the same
// start time. A process that can't be seen counts as ended; a zombie does too.
bool process_alive(const OwnerInfo& info);

// Whether the process that `info` describes is this one's parent, its parent's parent, and so on.
// Itself is not its ancestor.
bool is_ancestor_of_us(const OwnerInfo& info);

// The id of the running boot of this host's kernel; empty if the kernel doesn't tell.
std::string boot_id();

}  // namespace locker::runtime
