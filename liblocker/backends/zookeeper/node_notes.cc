#include "backends/zookeeper/node_notes.h"

namespace locker::backends::zookeeper {

void NodeNotes::note(const std::string& path, const LockText& text) {
  if (text.lowered || !text.owner.empty()) notes_.insert_or_assign(path, text);
}

core::Ticket NodeNotes::present(core::Ticket ticket) const {
  const auto found = notes_.find(ticket.node);
  if (found == notes_.end()) return ticket;
  if (found->second.lowered) ticket.place.mode = LockMode::shared;
  if (!found->second.owner.empty()) ticket.owner = found->second.owner;
  return ticket;
}

bool NodeNotes::agrees(const core::Ticket& ticket) const {
  const core::Ticket now = present(ticket);
  return now.place.mode == ticket.place.mode && now.owner == ticket.owner;
}

}  // namespace locker::backends::zookeeper
