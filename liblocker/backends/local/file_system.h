#pragma once

#include <string>

#include <locker/result.h>

namespace locker::backends::local {

// Whether pipes and file locks in this directory are seen by every process that sees its files.
// On a file system that other hosts or virtual machines may share they are not.
// Errors: unsupported (names the kind), unavailable.
Result<void> check_file_system(const std::string& directory);

}  // namespace locker::backends::local
