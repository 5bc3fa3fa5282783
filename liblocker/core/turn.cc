#include "core/turn.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace locker::core {
namespace {

bool stands(const Ticket& ticket, std::span<const Ticket> standing) {
  return std::ranges::any_of(standing,
                             [&](const Ticket& other) { return other.node == ticket.node; });
}

bool blocks(const Ticket& other, const Ticket& mine) {
  return other.owner != mine.owner && other.request != mine.request &&
         other.position < mine.position && conflict(other.place, mine.place);
}

}  // namespace

Turn turn_of(std::span<const Ticket> mine, std::span<const Ticket> standing) {
  Turn turn;
  // A request without a ticket holds nothing, so there is nothing to grant.
  if (mine.empty()) return turn;
  for (const Ticket& ticket : mine) {
    if (!stands(ticket, standing)) return turn;
  }
  for (const Ticket& other : standing) {
    const bool in_the_way =
        std::ranges::any_of(mine, [&](const Ticket& ticket) { return blocks(other, ticket); });
    if (in_the_way) turn.ahead.push_back(other);
  }
  std::ranges::sort(turn.ahead, {}, [](const Ticket& ticket) {
    return std::pair<std::uint64_t, std::string_view>(ticket.position, ticket.node);
  });
  turn.kind = turn.ahead.empty() ? Turn::Kind::granted : Turn::Kind::waits;
  return turn;
}

}  // namespace locker::core
