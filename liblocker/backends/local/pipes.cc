#include "backends/local/pipes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "backends/local/system_error.h"

namespace locker::backends::local {
namespace {

// A command that was started with a closed standard input must not find our pipe in its place.
constexpr int first_free_descriptor = 3;

Result<Descriptor> make_pipe(const std::string& path, mode_t mode) {
  if (::mkfifo(path.c_str(), mode) != 0) return system_error("make the pipe", path, errno);
  Descriptor opened(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (!opened.is_open()) return system_error("open the pipe", path, errno);
  if (opened.number() < first_free_descriptor) {
    Descriptor moved(::fcntl(opened.number(), F_DUPFD_CLOEXEC, first_free_descriptor));
    if (!moved.is_open()) return system_error("open the pipe", path, errno);
    opened = std::move(moved);
  }
  // The mode given to mkfifo was cut by the umask.
  if (::fchmod(opened.number(), mode) != 0) return system_error("open the pipe", path, errno);
  return opened;
}

}  // namespace

Result<Pipes> make_pipes(const std::string& life_path, const std::string& bell_path,
                         mode_t life_mode, mode_t bell_mode) {
  Result<Descriptor> life = make_pipe(life_path, life_mode);
  if (!life) return life.error();
  Result<Descriptor> bell = make_pipe(bell_path, bell_mode);
  if (!bell) {
    ::unlink(life_path.c_str());
    return bell.error();
  }
  return Pipes{.life = std::move(*life), .bell = std::move(*bell)};
}

bool is_pipe_at(const Descriptor& held, const std::string& path) {
  struct stat ours {};
  struct stat present {};
  return ::fstat(held.number(), &ours) == 0 && ::lstat(path.c_str(), &present) == 0 &&
         ours.st_dev == present.st_dev && ours.st_ino == present.st_ino;
}

Life life_at(const std::string& path) {
  const Descriptor opened = open_life(path);
  if (opened.is_open()) return life_of(opened.number());
  return errno == ENOENT ? Life::missing : Life::unknown;
}

Life life_of(int descriptor) {
  std::array<char, 64> junk{};
  while (true) {
    const ssize_t count = ::read(descriptor, junk.data(), junk.size());
    if (count == 0) return Life::dead;
    if (count > 0 || errno == EINTR) continue;
    return errno == EAGAIN ? Life::alive : Life::unknown;
  }
}

Descriptor open_life(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
}

Result<void> ring_bell(const std::string& path) {
  // Open for reading as well: a write to a pipe that lost its reader would raise SIGPIPE.
  const Descriptor bell(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (!bell.is_open()) {
    // The want of a descriptor passes, and the listener would sleep on. Whatever else it is, that
    // session is over or has a bell that nobody may ring, and must not hold up everybody.
    if (errno != EMFILE && errno != ENFILE && errno != ENOMEM) return {};
    return system_error("open the bell", path, errno);
  }
  // A full bell is one that has not been heard yet.
  const char stroke = 1;
  while (::write(bell.number(), &stroke, 1) < 0 && errno == EINTR) {
  }
  return {};
}

void empty_bell(int descriptor) {
  std::array<char, 512> strokes{};
  while (true) {
    const ssize_t count = ::read(descriptor, strokes.data(), strokes.size());
    if (count > 0 || (count < 0 && errno == EINTR)) continue;
    return;
  }
}

}  // namespace locker::backends::local
