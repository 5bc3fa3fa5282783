#include "backends/local/system_error.h"

#include <cerrno>
#include <system_error>

namespace locker::backends::local {

Error store_full(const std::string& path) {
  return make_error(Errc::unavailable, "store_full",
                    "The file system of " + path +
                        " is full, so that no lock can be taken or let go; free some space there.");
}

Error system_error(const std::string& what, const std::string& path, int number) {
  const std::string cannot =
      "Cannot " + what + " " + path + ": " + std::generic_category().message(number) + "; ";
  switch (number) {
    case EACCES:
    case EPERM:
      return make_error(Errc::unauthorized,
                        cannot +
                            "ask for membership in the group that owns the store's directory, or "
                            "name a directory of your own with `local:/dir`.");
    case ENOSPC:
    case EDQUOT:
      return store_full(path);
    case EROFS:
      return make_error(Errc::unavailable, "store_read_only",
                        cannot + "name a directory on a writable file system with `local:/dir`.");
    case EMFILE:
    case ENFILE:
      return make_error(Errc::unavailable, cannot + "raise the limit of open files (`ulimit -n`).");
    case ENOENT:
      return make_error(Errc::unavailable, "store_missing",
                        cannot + "create the directory first, or name another with `local:/dir`.");
    default:
      return make_error(Errc::unavailable, cannot + "the store needs a working local file system.");
  }
}

}  // namespace locker::backends::local
