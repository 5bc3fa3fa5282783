#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace locker::backends::local {

// The process that holds SQLite's write lock of the database at `path`, as the kernel lists it;
// nothing if none is seen. Nothing is opened: closing any descriptor of a database file would drop
// the locks that SQLite holds in this process.
std::optional<std::int64_t> writer_of(const std::string& path);

}  // namespace locker::backends::local
