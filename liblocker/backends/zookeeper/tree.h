#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <locker/lock_mode.h>

#include "core/resource.h"

namespace locker::backends::zookeeper {

// Where everything is kept, below `<chroot>/hive_locks`:
//
//   /.format                           the version of this layout
//   /.owners/<session>                 ephemeral: who a session is, rewritten as its heartbeat
//   /.waits/<owner>.<request>          ephemeral: a request whose owner held something before
//   /.broken/<session>                 why a session was broken
//   /.records/<hash of the key>        what was recorded under a lock
//   /<db>/<table>/<k=v>/…              containers, one for each resource
//     …/lock_<x|s>_<id>-lock-<digits>  ephemeral: a place in the resource's queue
//     …/.coarse/m_<x|s>_<id>           ephemeral: its companion, where finer locks look
//     <table>/.registered              keeps a registered table's container
//
// The id of a lock's node is the request's id and then its owner's, 64 hex digits.
class Tree {
 public:
  // `chroot`: empty, or a path that begins with a slash and ends without one.
  explicit Tree(const std::string& chroot) : root_(chroot + "/hive_locks") {}

  const std::string& root() const { return root_; }
  std::string format() const { return root_ + "/.format"; }
  std::string owners() const { return root_ + "/.owners"; }
  std::string owner(const std::string& session) const { return owners() + "/" + session; }
  std::string waits() const { return root_ + "/.waits"; }
  std::string wait(const std::string& owner, const std::string& request) const;
  std::string all_broken() const { return root_ + "/.broken"; }
  std::string broken(const std::string& session) const { return all_broken() + "/" + session; }
  std::string records() const { return root_ + "/.records"; }
  std::string record(const std::string& key) const;
  std::string directory(const core::Resource& resource) const { return root_ + resource.path(); }
  std::string coarse(const core::Resource& resource) const;
  std::string registered(const core::Resource& table) const;

 private:
  std::string root_;
};

// The name of a node in a queue.
struct NodeName {
  LockMode mode = LockMode::exclusive;
  std::string request;  // its id; the whole name of a node that is not ours
  std::string owner;    // likewise
  std::int32_t sequence = 0;
  bool foreign = false;  // made by another client: Curator's mutex, kazoo's lock
};

// What our nodes are called before the coordinator appends the sequence, or the whole name of a
// companion.
std::string lock_prefix(LockMode mode, const std::string& request, const std::string& owner);
std::string companion_name(LockMode mode, const std::string& request, const std::string& owner);

// Reads the name of a child; nothing if it is none. A foreign node counts as exclusive unless its
// name says that it is a reader's: `…-lock-<digits>` (Curator's mutex), `…__lock__<digits>` and
// `…__rlock__<digits>` (kazoo), `…__WRIT__<digits>` and `…__READ__<digits>` (Curator's pair).
std::optional<NodeName> read_lock_name(std::string_view child);
std::optional<NodeName> read_companion_name(std::string_view child);
// Whether a child is the directory of a resource below; `depth` is the child's.
bool is_resource_name(std::string_view child, int depth);

// The name of a session: ZooKeeper's number for it as 16 hex digits.
std::string session_name(std::int64_t session);

}  // namespace locker::backends::zookeeper
