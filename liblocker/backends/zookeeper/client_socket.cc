#include "backends/zookeeper/client_socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace locker::backends::zookeeper {
namespace {

// The client tells its peer but not its descriptor. So every socket of this process is looked at
// that has this peer and, as the client makes it, is neither blocking nor delayed nor marked yet.
// A socket of somebody else that is all this and meant for a child would be taken too; nobody hands
// down a session. A child that was started before the mark is set has the socket; whatever must
// not, is started by a process that was forked before there was a client.
bool is_of_client(int descriptor, const sockaddr_storage& peer, socklen_t peer_size) {
  const int flags = ::fcntl(descriptor, F_GETFD);
  if (flags < 0 || (flags & FD_CLOEXEC) != 0) return false;
  sockaddr_storage found{};
  socklen_t found_size = sizeof(found);
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&found), &found_size) != 0) {
    return false;
  }
  if (found_size != peer_size || std::memcmp(&found, &peer, peer_size) != 0) return false;
  int undelayed = 0;
  socklen_t size = sizeof(undelayed);
  return ::getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &undelayed, &size) == 0 &&
         undelayed != 0 && (::fcntl(descriptor, F_GETFL) & O_NONBLOCK) != 0;
}

}  // namespace

void keep_socket_from_children(zhandle_t* client) {
  sockaddr_storage peer{};
  socklen_t peer_size = sizeof(peer);
  if (zookeeper_get_connected_host(client, reinterpret_cast<sockaddr*>(&peer), &peer_size) ==
      nullptr) {
    return;
  }
  std::error_code failure;
  std::filesystem::directory_iterator entry("/proc/self/fd", failure);
  for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    const std::string name = entry->path().filename();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    if (descriptor >= 0 && is_of_client(descriptor, peer, peer_size)) {
      ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
  }
}

}  // namespace locker::backends::zookeeper
