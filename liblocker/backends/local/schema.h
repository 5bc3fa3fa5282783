#pragma once

#include <string>

#include <locker/result.h>

#include "backends/local/database.h"
#include "backends/local/store_files.h"

namespace locker::backends::local {

// The version of the stored format, docs/format-local.md, and the oldest reader that understands
// it.
inline constexpr int format_version = 1;

// Makes the database file where there is none: whole or not at all. Errors: unauthorized,
// unavailable.
Result<void> make_database(const StoreFiles& files);

// Whether this library understands the opened database. Error: mismatch.
Result<void> check_format(Database& database);

// Begins a new epoch if the kernel was booted since the last use: every session of the earlier boot
// is dead, and every token of this one must be greater than any of an earlier one, those included
// that a power failure took back. Whether it did so. Error: unavailable.
Result<bool> begin_boot(Database& database, const std::string& boot);

}  // namespace locker::backends::local
