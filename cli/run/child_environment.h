#pragma once

#include <string>
#include <vector>

#include <locker/partition_locker.h>

namespace locker::cli {

// What the command is told about its lock; every reserved variable comes from here.
struct ChildLock {
  std::string id;
  std::vector<GrantedMember> members;
  FencingToken token;
  Owner owner;
  std::string url;
  std::optional<std::chrono::milliseconds> session_timeout;
};

// This process's environment with the reserved variables replaced, "NAME=value" each.
std::vector<std::string> child_environment(const ChildLock& lock);

// Whether LOCKER_TOKENS would be longer than the kernel passes to a program; it is left out then.
bool tokens_too_long(const ChildLock& lock);

}  // namespace locker::cli
