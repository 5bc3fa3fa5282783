#pragma once

#include <string_view>

#include <locker/listing.h>

namespace locker::cli {

// What has become of the process behind an owner, if it was started on this host and in this boot.
enum class ProcessState { running, stopped, zombie, gone, elsewhere };

std::string_view name_of(ProcessState state);

// Looks the process up; a pid that was given to another process since counts as gone.
ProcessState state_of(const OwnerInfo& owner);

}  // namespace locker::cli
