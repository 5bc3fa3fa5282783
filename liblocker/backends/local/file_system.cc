#include "backends/local/file_system.h"

#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "backends/local/system_error.h"

namespace locker::backends::local {
namespace {

struct SharedKind {
  std::uint32_t magic;
  std::string_view name;
};

constexpr std::array<SharedKind, 19> shared_kinds = {{
    {0x00006969U, "NFS"},
    {0x0000517bU, "SMB"},
    {0xff534d42U, "CIFS"},
    {0xfe534d42U, "SMB2"},
    {0x65735546U, "FUSE"},
    {0x0bd00bd0U, "Lustre"},
    {0x00c36400U, "Ceph"},
    {0x5346414fU, "AFS"},
    {0x6b414653U, "AFS"},
    {0x47504653U, "GPFS"},
    {0x01021997U, "9p"},
    {0x7461636fU, "OCFS2"},
    {0x01161970U, "GFS2"},
    {0x73757245U, "Coda"},
    {0x0000564cU, "NCP"},
    {0x19830326U, "BeeGFS"},
    {0xaad7aaeaU, "PanFS"},
    {0x7c7c6673U, "a virtual machine's share"},
    {0x786f4256U, "a virtual machine's share"},
}};

}  // namespace

std::string_view shared_kind(std::uint32_t magic) {
  for (const SharedKind& kind : shared_kinds) {
    if (kind.magic == magic) return kind.name;
  }
  return {};
}

Result<void> check_file_system(const std::string& directory) {
  struct statfs facts {};
  if (::statfs(directory.c_str(), &facts) != 0) {
    return system_error("use the directory", directory, errno);
  }
  const std::string kind(shared_kind(static_cast<std::uint32_t>(facts.f_type)));
  if (!kind.empty()) {
    return make_error(Errc::unsupported, "shared_file_system",
                      "The directory " + directory + " is on " + kind +
                          ", where a lock of this host would not exclude another host; name a "
                          "directory on a local disk with `local:/dir`.");
  }
  return {};
}

}  // namespace locker::backends::local
