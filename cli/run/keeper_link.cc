#include "cli/run/keeper_link.h"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <sys/socket.h>

namespace locker::cli {
namespace {

constexpr std::size_t most_descriptors = 2;

}  // namespace

bool KeeperLink::send(const LinkMessage& message, const std::vector<int>& descriptors) const {
  LinkMessage copy = message;
  iovec part{&copy, sizeof copy};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(most_descriptors * sizeof(int))] = {};
  if (!descriptors.empty()) {
    const std::size_t bytes = descriptors.size() * sizeof(int);
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(rights), descriptors.data(), bytes);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof copy);
}

std::optional<LinkPacket> KeeperLink::receive() const {
  LinkPacket packet;
  iovec part{&packet.message, sizeof packet.message};
  alignas(cmsghdr) char control[CMSG_SPACE(most_descriptors * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t size = 0;
  do {
    // A side that went with packets of ours unread is told as a reset, once, before its last words.
    size = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
  } while (size < 0 && (errno == EINTR || errno == ECONNRESET));
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t index = 0; index < count; ++index) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(each) + index * sizeof(int), sizeof number);
      packet.descriptors.emplace_back(number);
    }
  }
  if (size != static_cast<ssize_t>(sizeof packet.message)) return std::nullopt;
  return packet;
}

std::pair<Descriptor, Descriptor> make_link() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return {};
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor pack_lines(const std::vector<std::string>& lines) {
  Descriptor file(::memfd_create("locker-environment", MFD_CLOEXEC));
  std::string all;
  for (const std::string& line : lines) all.append(line).push_back('\0');
  std::size_t done = 0;
  while (done < all.size()) {
    const ssize_t written = ::write(file.get(), all.data() + done, all.size() - done);
    if (written <= 0) return Descriptor();
    done += static_cast<std::size_t>(written);
  }
  return file;
}

std::vector<std::string> unpack_lines(const Descriptor& file) {
  std::string all;
  char part[4096];
  off_t place = 0;
  for (ssize_t size = 1; size > 0; place += size) {
    size = ::pread(file.get(), part, sizeof part, place);
    if (size > 0) all.append(part, static_cast<std::size_t>(size));
  }
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = all.find('\0', start);
    lines.push_back(all.substr(start, end - start));
    start = end == std::string::npos ? all.size() : end + 1;
  }
  return lines;
}

}  // namespace locker::cli
