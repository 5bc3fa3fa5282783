#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <locker/result.h>

namespace locker::backends::local {

// The name of a kind of file system, by the kernel's number for it, that more than one kernel may
// have mounted at once; empty for any other kind.
std::string_view shared_kind(std::uint32_t magic);

// Whether pipes and file locks in this directory are seen by every process that sees its files.
// On a file system that other hosts or virtual machines may share they are not.
// Errors: unsupported (names the kind), unavailable.
Result<void> check_file_system(const std::string& directory);

}  // namespace locker::backends::local
