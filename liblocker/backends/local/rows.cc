#include "backends/local/rows.h"

#include <charconv>
#include <cstdio>

namespace locker::backends::local {

std::int64_t to_ms(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::chrono::system_clock::time_point from_ms(std::int64_t milliseconds) {
  return std::chrono::system_clock::time_point(std::chrono::milliseconds(milliseconds));
}

std::string node_of(std::int64_t position, std::int64_t member) {
  char text[48];
  const int size =
      std::snprintf(text, sizeof text, "%016llx-%lld", static_cast<unsigned long long>(position),
                    static_cast<long long>(member));
  return std::string(text, static_cast<std::size_t>(size));
}

std::int64_t member_of(const std::string& node) {
  std::int64_t member = -1;
  const std::size_t dash = node.rfind('-');
  if (dash != std::string::npos) {
    std::from_chars(node.data() + dash + 1, node.data() + node.size(), member);
  }
  return member;
}

std::int64_t position_in(const std::string& node) {
  std::int64_t position = -1;
  const std::size_t dash = node.rfind('-');
  if (dash != std::string::npos) {
    std::from_chars(node.data(), node.data() + dash, position, 16);
  }
  return position;
}

LockMode mode_of(const std::string& text) {
  return text == name_of(LockMode::shared) ? LockMode::shared : LockMode::exclusive;
}

void read_tickets(Query& query, std::vector<runtime::StandingTicket>& result) {
  while (query.next()) {
    runtime::StandingTicket standing;
    const std::int64_t position = query.number(0);
    standing.ticket.node = node_of(position, query.number(1));
    standing.ticket.position = static_cast<std::uint64_t>(position);
    standing.ticket.place.resource = core::Resource::from_path(query.text(2));
    standing.ticket.place.mode = mode_of(query.text(3));
    standing.ticket.request = query.text(4);
    standing.session = query.text(5);
    standing.ticket.owner = query.text(6);
    standing.proof = query.text(7);
    standing.owner.owner = standing.ticket.owner;
    standing.owner.host = query.text(8);
    standing.owner.pid = query.number(9);
    standing.owner.pid_start = query.number(10);
    standing.owner.boot = query.text(11);
    standing.owner.user = query.text(12);
    standing.owner.application = query.text(13);
    standing.owner.command = query.text(14);
    standing.owner.reason = query.text(15);
    standing.since = from_ms(query.number(16));
    standing.token.coordinator = standing.ticket.position;
    result.push_back(std::move(standing));
  }
}

}  // namespace locker::backends::local
