#include "backends/local/sqlite_version.h"

#include <sqlite3.h>

namespace locker::backends::local {

std::string sqlite_version() {
  return std::string("SQLite ") + sqlite3_libversion();
}

}  // namespace locker::backends::local
