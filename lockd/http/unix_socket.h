#pragma once

#include <sys/types.h>

#include <string>

#include <locker/result.h>

namespace locker::lockd::http {

// The file of a Unix socket, known again even if another server has replaced it.
struct UnixSocketFile {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
};

struct BoundUnixSocket {
  int descriptor = -1;  // listens; the caller closes it
  UnixSocketFile file;
};

// Binds and listens. The file never has wider permissions than `mode`. A file on which nobody
// listens is replaced. Errors: conflict (somebody listens), config.
Result<BoundUnixSocket> bind_unix_socket(const std::string& path, unsigned mode);

// Removes the file, if it is still this one.
void remove_unix_socket(const UnixSocketFile& file);

}  // namespace locker::lockd::http
