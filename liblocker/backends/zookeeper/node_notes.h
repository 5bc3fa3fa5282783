#pragma once

#include <map>
#include <string>

#include "backends/zookeeper/node_text.h"

namespace locker::backends::zookeeper {

// What a session has seen of nodes that are not as their names say: a lock that was lowered, or
// given to another owner. A list of a directory tells names alone.
class NodeNotes {
 public:
  // What a node was seen to hold.
  void note(const std::string& path, const LockText& text);
  // The ticket as its node was last seen.
  core::Ticket present(core::Ticket ticket) const;
  // Whether the ticket says what its node was last seen to hold.
  bool agrees(const core::Ticket& ticket) const;
  // The node has gone.
  void forget(const std::string& path) { notes_.erase(path); }

 private:
  std::map<std::string, LockText> notes_;
};

}  // namespace locker::backends::zookeeper
