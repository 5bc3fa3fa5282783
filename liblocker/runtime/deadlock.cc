#include "runtime/deadlock.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace locker::runtime {
namespace {

// A step of the search: an owner, reached through a ticket of its own that somebody waits for.
struct Reached {
  StandingTicket by;
  std::string from;  // the owner that waits for it
};
using ReachedOwners = std::map<std::string, Reached>;

std::vector<core::Place> places_of(const std::vector<StandingTicket>& standing) {
  std::vector<core::Place> places;
  for (const StandingTicket& other : standing) places.push_back(other.ticket.place);
  return places;
}

// Whether `waiter` stands behind `other`, of another owner, in a conflicting place.
bool waits_for(const core::Ticket& waiter, const core::Ticket& other) {
  return other.owner != waiter.owner && other.position < waiter.position &&
         core::conflict(other.place, waiter.place);
}

// The way back from `closing`, which belongs to the searching owner, to its first blocker.
std::vector<StandingTicket> trace(const ReachedOwners& reached, const std::string& last,
                                  const StandingTicket& closing, const std::string& searcher) {
  std::vector<StandingTicket> cycle{closing};
  for (std::string owner = last; owner != searcher;) {
    const Reached& step = reached.at(owner);
    cycle.push_back(step.by);
    owner = step.from;
  }
  std::ranges::reverse(cycle);
  return cycle;
}

awaitable<Result<std::vector<StandingTicket>>> search(ClockPtr clock, LifelinePtr line,
                                                      RequestPtr request,
                                                      std::vector<core::Ticket> mine,
                                                      std::vector<StandingTicket> ahead) {
  const std::string& searcher = request->owner.owner;
  const std::uint64_t youngest = mine.front().position;
  ReachedOwners reached;
  std::deque<std::string> to_visit;
  for (const StandingTicket& other : ahead) {
    if (reached.try_emplace(other.ticket.owner, Reached{other, searcher}).second) {
      to_visit.push_back(other.ticket.owner);
    }
  }
  while (!to_visit.empty()) {
    const std::string owner = to_visit.front();
    to_visit.pop_front();
    // Who waits inside a cycle made its request while it held something, or is waited for where it
    // waits itself.
    const std::vector<core::Place> near{reached.at(owner).by.ticket.place};
    Result<std::vector<StandingTicket>> theirs =
        co_await tickets_of_surely(clock, line, owner, near);
    if (!theirs) co_return theirs.error();
    std::erase_if(*theirs,
                  [&](const StandingTicket& ticket) { return ticket.ticket.position >= youngest; });
    if (theirs->empty()) continue;
    const std::vector<core::Place> places = places_of(*theirs);
    Result<std::vector<StandingTicket>> around = co_await standing_surely(clock, line, places);
    if (!around) co_return around.error();
    for (const StandingTicket& other : *around) {
      const bool waited_for = std::ranges::any_of(*theirs, [&](const StandingTicket& ticket) {
        return waits_for(ticket.ticket, other.ticket);
      });
      if (!waited_for) continue;
      if (other.ticket.owner == searcher) co_return trace(reached, owner, other, searcher);
      if (reached.try_emplace(other.ticket.owner, Reached{other, owner}).second) {
        to_visit.push_back(other.ticket.owner);
      }
    }
  }
  co_return std::vector<StandingTicket>();
}

}  // namespace

awaitable<Result<std::vector<StandingTicket>>> find_cycle(ClockPtr clock, LifelinePtr line,
                                                          RequestPtr request,
                                                          std::vector<core::Ticket> mine,
                                                          std::vector<StandingTicket> ahead) {
  Result<std::vector<StandingTicket>> first = co_await search(clock, line, request, mine, ahead);
  if (!first || first->empty()) co_return first;
  const Result<void> confirmed = co_await beat_surely(clock, line);
  if (!confirmed) co_return confirmed.error();
  // Those ahead are looked at afresh too: one of them may have gone meanwhile.
  std::vector<core::Ticket> blockers;
  for (const StandingTicket& other : ahead) blockers.push_back(other.ticket);
  Result<std::vector<core::Ticket>> left = co_await still_there_surely(clock, line, blockers);
  if (!left) co_return left.error();
  std::erase_if(ahead, [&](const StandingTicket& other) {
    return std::ranges::none_of(*left, [&](const core::Ticket& ticket) {
      return ticket.node == other.ticket.node &&
             std::ranges::any_of(mine, [&](const core::Ticket& own) {
               return core::conflict(ticket.place, own.place);
             });
    });
  });
  co_return co_await search(clock, line, request, mine, ahead);
}

}  // namespace locker::runtime
