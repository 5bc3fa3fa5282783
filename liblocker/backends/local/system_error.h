#pragma once

#include <string>

#include <locker/result.h>

namespace locker::backends::local {

// The Error of a failed system call: "Cannot <what> <path>: <why>; <what to do>." Missing rights
// are `unauthorized`; a full, read-only or otherwise failing file system is `unavailable`.
Error system_error(const std::string& what, const std::string& path, int number);

// The Error of a full file system that holds `path`: unavailable/store_full.
Error store_full(const std::string& path);

}  // namespace locker::backends::local
