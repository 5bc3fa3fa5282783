#include "lockd/http/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace locker::lockd::http {
namespace {

constexpr int longest_queue = 4096;

Error failed(const std::string& path, const std::string& what) {
  return make_error(Errc::config, "listen",
                    "Can't listen on " + path + ": " + what + ": " + std::strerror(errno) + ".");
}

int open_socket() {
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// Removes what a server that is gone has left behind.
std::optional<Error> clear_way(const std::string& path, const sockaddr_un& address) {
  struct stat state {};
  if (::lstat(path.c_str(), &state) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return failed(path, "lstat");
  }
  if (!S_ISSOCK(state.st_mode)) {
    return make_error(Errc::config, "listen",
                      "Can't listen on " + path + ": there is a file that is no socket.");
  }
  const int probe = open_socket();
  if (probe < 0) return failed(path, "socket");
  const int connected =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int reason = errno;
  ::close(probe);
  // A full queue is somebody's queue.
  if (connected == 0 || reason == EAGAIN) {
    return make_error(Errc::conflict, "already_listening",
                      "Can't listen on " + path + ": another server listens there.");
  }
  errno = reason;
  if (reason != ECONNREFUSED) return failed(path, "connect");
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failed(path, "unlink");
  return std::nullopt;
}

}  // namespace

Result<BoundUnixSocket> bind_unix_socket(const std::string& path, unsigned mode) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return make_error(Errc::config, "listen",
                      "The path of a Unix socket has 1 to 107 bytes: " + path + ".");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  if (const std::optional<Error> error = clear_way(path, address)) return *error;
  const int descriptor = open_socket();
  if (descriptor < 0) return failed(path, "socket");
  struct stat state {};
  // The file is made with the socket's own mode, so nobody gets in before it is set.
  const bool listens =
      ::fchmod(descriptor, mode) == 0 &&
      ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::chmod(path.c_str(), mode) == 0 && ::listen(descriptor, longest_queue) == 0 &&
      ::lstat(path.c_str(), &state) == 0;
  if (!listens) {
    const Error error = failed(path, "bind");
    ::close(descriptor);
    return error;
  }
  return BoundUnixSocket{descriptor, {path, state.st_dev, state.st_ino}};
}

void remove_unix_socket(const UnixSocketFile& file) {
  struct stat state {};
  if (::lstat(file.path.c_str(), &state) != 0) return;
  if (state.st_dev == file.device && state.st_ino == file.inode) ::unlink(file.path.c_str());
}

}  // namespace locker::lockd::http
