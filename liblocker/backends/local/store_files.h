#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include <locker/result.h>

namespace locker::backends::local {

// Where a store is.
struct StoreLocation {
  std::string directory;  // absolute
  bool per_user = false;  // the fall-back of a user who can't use the shared store
};

// The directory of `local:<path>`; an empty path means the default store: the host's shared one
// where this user may write to it, else one of the user's own. Touches nothing.
// Errors: invalid/bad_url (a relative path), config (no home directory for the user's own).
Result<StoreLocation> locate_store(const std::string& path);

// The files of a store and the modes that they get: as open as its directory is.
struct StoreFiles {
  std::string directory;
  mode_t file_mode = 0;  // database and bells: written by whoever may write to the directory
  mode_t life_mode = 0;  // life pipes: read by others, written by nobody but the owner
  mode_t directory_mode = 0;

  std::string database() const { return directory + "/locks.db"; }
  std::string sessions() const { return directory + "/sessions"; }
  std::string life(std::string_view session) const;
  std::string bell(std::string_view session) const;
};

// Makes what is missing of the store's directories (the directory itself where its parent stands)
// and checks that locks work there. Errors: config (not a directory), unsupported (on a file system
// that other hosts may share), unauthorized, unavailable.
Result<StoreFiles> prepare_files(const StoreLocation& location);

}  // namespace locker::backends::local
