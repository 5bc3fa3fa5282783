#include "backends/local/store_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "backends/local/file_system.h"
#include "backends/local/system_error.h"
#include "core/random_id.h"

namespace locker::backends::local {
namespace {

constexpr const char* shared_directory = "/var/lib/locker";
constexpr mode_t permission_bits = 02777;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_writable_directory(const char* path) {
  struct stat facts {};
  return ::stat(path, &facts) == 0 && S_ISDIR(facts.st_mode) &&
         ::faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS) == 0;
}

// The user's own store may be the first thing below the state directory, so its parents are made.
Result<void> make_private_directory(const std::string& path) {
  for (std::size_t end = path.find('/', 1); true; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return system_error("make the directory", part, errno);
    }
    if (end == std::string::npos) return {};
  }
}

// A directory appears with its final mode at once: another user may be just behind us.
Result<void> make_directory(const std::string& path, mode_t mode) {
  const std::string unfinished = path + ".new-" + core::random_id();
  if (::mkdir(unfinished.c_str(), 0700) != 0) {
    return system_error("make the directory", path, errno);
  }
  ::chmod(unfinished.c_str(), mode);
  if (::renameat2(AT_FDCWD, unfinished.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
    return {};
  }
  const int why = errno;
  ::rmdir(unfinished.c_str());
  if (why == EEXIST) return {};
  return system_error("make the directory", path, why);
}

// A new directory is as open as the umask says, and its files belong to its group.
Result<void> make_store_directory(const StoreLocation& location) {
  if (location.per_user) return make_private_directory(location.directory);
  if (::mkdir(location.directory.c_str(), 0770) != 0) {
    if (errno == EEXIST) return {};
    return system_error("make the store's directory", location.directory, errno);
  }
  struct stat facts {};
  if (::stat(location.directory.c_str(), &facts) == 0) {
    ::chmod(location.directory.c_str(), (facts.st_mode & permission_bits) | S_ISGID);
  }
  return {};
}

}  // namespace

std::string StoreFiles::life(std::string_view session) const {
  return sessions() + "/" + std::string(session) + ".life";
}

std::string StoreFiles::bell(std::string_view session) const {
  return sessions() + "/" + std::string(session) + ".bell";
}

Result<StoreLocation> locate_store(const std::string& path) {
  if (!path.empty()) {
    if (path.front() != '/') {
      return make_error(
          Errc::invalid, "bad_url",
          "The directory of a local store must be absolute: `local:/dir`, or `local:` "
          "for the default store.");
    }
    std::string directory = path;
    while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
    return StoreLocation{.directory = std::move(directory)};
  }
  if (is_writable_directory(shared_directory)) return StoreLocation{.directory = shared_directory};
  const std::string state = environment("XDG_STATE_HOME");
  // A relative value is to be ignored, says the specification of that variable.
  if (state.starts_with('/')) return StoreLocation{state + "/locker", true};
  const std::string home = environment("HOME");
  if (home.starts_with('/')) return StoreLocation{home + "/.local/state/locker", true};
  return make_error(
      Errc::config, "no_store",
      "There is no lock store: /var/lib/locker is not writable for this user and HOME "
      "is not set; name a directory with `local:/dir`.");
}

Result<StoreFiles> prepare_files(const StoreLocation& location) {
  const std::string& directory = location.directory;
  struct stat facts {};
  if (::stat(directory.c_str(), &facts) != 0) {
    if (errno != ENOENT) return system_error("use the directory", directory, errno);
    Result<void> made = make_store_directory(location);
    if (!made) return made.error();
    if (::stat(directory.c_str(), &facts) != 0) {
      return system_error("use the directory", directory, errno);
    }
  }
  if (!S_ISDIR(facts.st_mode)) {
    return make_error(
        Errc::config, "not_a_directory",
        "The lock store " + directory + " is not a directory; name one with `local:/dir`.");
  }
  Result<void> local = check_file_system(directory);
  if (!local) return local.error();
  if (::faccessat(AT_FDCWD, directory.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
    return system_error("write to the lock store", directory, errno);
  }
  StoreFiles files;
  files.directory = directory;
  files.directory_mode = facts.st_mode & permission_bits;
  files.file_mode = 0600 | (facts.st_mode & 0066);
  files.life_mode = 0600 | (facts.st_mode & 0044);
  if (::access(files.sessions().c_str(), F_OK) != 0) {
    Result<void> made = make_directory(files.sessions(), files.directory_mode);
    if (!made) return made.error();
  }
  return files;
}

}  // namespace locker::backends::local
