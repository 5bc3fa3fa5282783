#pragma once

#include <string>

namespace locker::backends::local {

// The SQLite library at work, e.g. "SQLite 3.40.1".
std::string sqlite_version();

}  // namespace locker::backends::local
