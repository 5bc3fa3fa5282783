#pragma once

#include <optional>
#include <string>
#include <vector>

#include <locker/partition_locker.h>

namespace locker::cli {

// Remembers, under the lock itself, that a partition was done, so that a later run skips it.
class OnceRecord {
 public:
  OnceRecord(PartitionLocker& locker, const LockHandle& handle);

  // When and by whom every member was done, a sentence; nothing if one of them was not.
  Result<std::optional<std::string>> done_before();
  // Records success. Errors: lost, fenced (the lock is gone; it counts as not done).
  Result<void> record(const std::string& command);

 private:
  PartitionLocker& locker_;
  const LockHandle& handle_;
};

}  // namespace locker::cli
