#include "backends/local/lock_owner.h"

#include <sys/stat.h>

#include <fstream>
#include <sstream>

namespace locker::backends::local {
namespace {

// In WAL mode the write lock is one byte of the shared-memory file.
constexpr std::uint64_t write_lock_byte = 120;

}  // namespace

std::optional<std::int64_t> writer_of(const std::string& path) {
  struct stat memory {};
  if (::stat((path + "-shm").c_str(), &memory) != 0) return std::nullopt;
  std::ifstream locks("/proc/locks");
  // 1: POSIX  ADVISORY  WRITE 4711 fe:00:131075 120 120
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, strictness, access, file, last;
    std::int64_t pid = 0;
    std::uint64_t first_byte = 0;
    words >> number >> kind >> strictness >> access >> pid >> file >> first_byte >> last;
    if (!words || kind != "POSIX" || access != "WRITE" || first_byte > write_lock_byte) continue;
    const bool covers = last == "EOF" || std::stoull(last) >= write_lock_byte;
    const std::size_t colon = file.rfind(':');
    if (covers && colon != std::string::npos &&
        file.substr(colon + 1) == std::to_string(memory.st_ino)) {
      return pid;
    }
  }
  return std::nullopt;
}

}  // namespace locker::backends::local
