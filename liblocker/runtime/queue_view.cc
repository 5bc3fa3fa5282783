#include "runtime/queue_view.h"

#include <algorithm>
#include <map>
#include <set>
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
  std::vector<StandingTicket> left;
  for (const StandingTicket& one : known) {
    if (nodes.contains(one.ticket.node)) left.push_back(one);
  }
  for (Contender& contender : queue_view(left)) {
    if (contender.holds) status.holders.push_back(std::move(contender));
  }
  return status;
}

}  // namespace locker::runtime
