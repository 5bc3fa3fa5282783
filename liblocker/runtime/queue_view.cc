#include "runtime/queue_view.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/turn.h"
#include "runtime/messages.h"

namespace locker::runtime {
namespace {

using ByPath = std::multimap<std::string, const core::Ticket*>;

// Every ticket in a place that meets `resource`.
std::vector<core::Ticket> around(const ByPath& tickets, const core::Resource& resource) {
  std::vector<core::Ticket> found;
  auto take = [&](ByPath::const_iterator begin, ByPath::const_iterator end) {
    for (auto it = begin; it != end; ++it) found.push_back(*it->second);
  };
  for (const core::Resource& above : resource.ancestors()) {
    const auto [begin, end] = tickets.equal_range(above.path());
    take(begin, end);
  }
  const auto [begin, end] = tickets.equal_range(resource.path());
  take(begin, end);
  // '0' follows '/': the range of all paths below.
  take(tickets.lower_bound(resource.path() + "/"), tickets.lower_bound(resource.path() + "0"));
  return found;
}

std::vector<std::string> requests_of(const std::vector<core::Ticket>& tickets) {
  std::vector<std::string> requests;
  std::set<std::string_view> seen;
  for (const core::Ticket& ticket : tickets) {
    if (seen.insert(ticket.request).second) requests.push_back(ticket.request);
  }
  return requests;
}

bool in_the_way(const core::Ticket& older, const core::Ticket& ticket) {
  const std::array both{older, ticket};
  return core::turn_of(std::span(both).last(1), both).kind == core::Turn::Kind::waits;
}

// Those that nobody older stands in the way of, oldest first. Every waiter of a long queue asks
// this, so it looks no further than the first that is in the way.
std::vector<const StandingTicket*> holders_among(std::vector<const StandingTicket*> tickets) {
  std::ranges::stable_sort(tickets, {},
                           [](const StandingTicket* one) { return one->ticket.position; });
  std::set<std::string_view> waiting;
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    const core::Ticket& mine = tickets[i]->ticket;
    for (std::size_t older = 0; older < i; ++older) {
      if (!in_the_way(tickets[older]->ticket, mine)) continue;
      waiting.insert(mine.request);
      break;
    }
  }
  std::erase_if(tickets,
                [&](const StandingTicket* one) { return waiting.contains(one->ticket.request); });
  return tickets;
}

}  // namespace

std::vector<Contender> queue_view(const std::vector<StandingTicket>& standing) {
  ByPath by_path;
  std::map<std::string, std::vector<core::Ticket>> by_request;
  for (const StandingTicket& one : standing) {
    by_path.emplace(one.ticket.place.resource.path(), &one.ticket);
    by_request[one.ticket.request].push_back(one.ticket);
  }
  // A long queue stands at one resource: those around it are gathered once, not for each of them.
  std::map<std::string, std::vector<core::Ticket>> gathered;
  const auto around_once = [&](const core::Resource& resource) -> std::vector<core::Ticket>& {
    const auto [found, fresh] = gathered.try_emplace(resource.path());
    if (fresh) found->second = around(by_path, resource);
    return found->second;
  };
  std::map<std::string, std::vector<std::string>> blocked_by;
  for (const auto& [request, mine] : by_request) {
    if (mine.size() == 1) {
      const std::vector<core::Ticket>& near = around_once(mine.front().place.resource);
      blocked_by[request] = requests_of(core::turn_of(mine, near).ahead);
      continue;
    }
    std::vector<core::Ticket> others;
    for (const core::Ticket& ticket : mine) {
      const std::vector<core::Ticket>& near = around_once(ticket.place.resource);
      others.insert(others.end(), near.begin(), near.end());
    }
    blocked_by[request] = requests_of(core::turn_of(mine, others).ahead);
  }
  std::vector<const StandingTicket*> order;
  for (const StandingTicket& one : standing) order.push_back(&one);
  std::ranges::sort(order, {}, [](const StandingTicket* one) {
    return std::pair(one->ticket.position, one->ticket.place.resource.path());
  });
  std::vector<Contender> view;
  for (const StandingTicket* one : order) {
    Contender contender = contender_of(*one);
    contender.blocked_by = blocked_by[one->ticket.request];
    contender.holds = contender.blocked_by.empty();
    view.push_back(std::move(contender));
  }
  return view;
}

WaitStatus wait_status(const std::vector<core::Ticket>& ahead,
                       const std::vector<StandingTicket>& known) {
  WaitStatus status;
  status.place = static_cast<int>(requests_of(ahead).size());
  std::set<std::string> nodes;
  for (const core::Ticket& ticket : ahead) nodes.insert(ticket.node);
  std::vector<const StandingTicket*> left;
  for (const StandingTicket& one : known) {
    if (nodes.contains(one.ticket.node)) left.push_back(&one);
  }
  for (const StandingTicket* one : holders_among(std::move(left))) {
    status.holders.push_back(contender_of(*one));
    status.holders.back().holds = true;
  }
  return status;
}

}  // namespace locker::runtime
