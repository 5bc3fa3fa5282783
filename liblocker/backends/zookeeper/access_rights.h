#pragma once

#include <string>
#include <vector>

#include <zookeeper/zookeeper.h>

#include <locker/result.h>

#include "backends/zookeeper/handle.h"

namespace locker::backends::zookeeper {

// One entry of an access list.
struct AccessEntry {
  int rights = 0;  // ZOO_PERM_…
  std::string scheme;
  std::string name;
};

// What the nodes that an identity makes let others do.
class AccessRights {
 public:
  // Error: config/bad_identity.
  static Result<AccessRights> of(const Identity& identity);

  const std::vector<AccessEntry>& entries(Access access) const {
    return access == Access::shared ? shared_ : own_;
  }

 private:
  std::vector<AccessEntry> shared_;
  std::vector<AccessEntry> own_;
};

// The same as the client wants it; refers to the entries.
class AccessVector {
 public:
  explicit AccessVector(const std::vector<AccessEntry>& entries);

  const ::ACL_vector* get() const { return &vector_; }

 private:
  std::vector<::ACL> entries_;
  ::ACL_vector vector_{};
};

// An access list as text: "world:anyone=rwcda", entries separated by commas, in the server's order.
std::string to_text(const ::ACL_vector& list);

}  // namespace locker::backends::zookeeper
