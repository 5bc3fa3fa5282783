#pragma once

#include <string_view>

#include <locker/result.h>

namespace locker::backends::zookeeper {

// Whether the server accepts a path. The C client passes some on that the server refuses, and one
// of those in a multi corrupts the memory of this process, so nothing is sent unchecked. Errors:
// invalid/bad_path, which names the rule; too_large (more than 64 KiB).
Result<void> check_path(std::string_view path);

// The same of a path that the server completes with ten digits: its last name may be empty.
Result<void> check_sequence_path(std::string_view path);

}  // namespace locker::backends::zookeeper
