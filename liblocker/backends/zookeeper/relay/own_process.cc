#include "backends/zookeeper/relay/own_process.h"

#include <dirent.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "backends/zookeeper/relay/sockets.h"

namespace locker::backends::zookeeper::relay {
namespace {

constexpr const char* own_descriptors = "/proc/self/fd";

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// A connection is known by its two ends: while it lives no other can have both.
bool has_ends(int socket, const Endpoint& near, const Endpoint& far) {
  return near_end(socket) == near && far_end(socket) == far;
}

bool is_ours(const Endpoint& near, const Endpoint& far) {
  const Folder folder(::opendir(own_descriptors));
  if (folder == nullptr) return false;
  while (const dirent* entry = ::readdir(folder.get())) {
    // "." and ".." become 0, and standard input is no worse to ask than any other.
    const int number = std::atoi(entry->d_name);
    if (has_ends(number, near, far)) return true;
  }
  return false;
}

}  // namespace

bool is_from_this_process(int accepted) {
  const std::optional<Endpoint> here = near_end(accepted);
  const std::optional<Endpoint> there = far_end(accepted);
  if (!here.has_value() || !there.has_value()) return false;
  // Looked at once more at the end: whoever connects and leaves at once could have its port taken
  // over by a socket of ours in between.
  return is_ours(*there, *here) && far_end(accepted) == there;
}

Result<void> check_own_descriptors() {
  const Folder folder(::opendir(own_descriptors));
  if (folder != nullptr) return {};
  return make_error(Errc::config, std::string("the ZooKeeper relay cannot tell this process's "
                                              "connections from others: make ") +
                                      own_descriptors + " readable (" + std::strerror(errno) + ")");
}

}  // namespace locker::backends::zookeeper::relay
