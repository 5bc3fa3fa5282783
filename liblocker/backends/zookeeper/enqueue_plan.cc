#include "backends/zookeeper/enqueue_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/lock_name.h"

namespace locker::backends::zookeeper {

using runtime::awaitable;
using runtime::Joined;
using runtime::Request;
using runtime::StandingTicket;

namespace {

// A database and a table are two levels; the rest are columns.
constexpr int table_depth = 2;

std::vector<int> earlier_depths(const std::string& table, const KnownOrders& orders) {
  const auto found = orders.find(table);
  return found == orders.end() ? std::vector<int>() : found->second.earlier_depths;
}

bool has_something_below(const core::Resource& resource, const Request& request) {
  const int depth = resource.depth() - table_depth;
  const std::string table = resource.table().path();
  const auto order = std::ranges::find(request.columns, table, [](const TableColumns& one) {
    return core::Resource(one.table).path();
  });
  return depth <= 0 || order == request.columns.end() ||
         depth < static_cast<int>(order->columns.size());
}

// Those of a directory's nodes that are ahead of the request's own, oldest first.
FoundNodes older_mates(const View& view, const Enqueued& mine, std::size_t place,
                       const Children& children) {
  const core::Place& where = mine.request->places[place];
  FoundNodes nodes = lock_nodes(view.tree, where.resource, children);
  const std::string& path = mine.nodes[place];
  const std::optional<NodeName> own = read_lock_name(path.substr(path.rfind('/') + 1));
  std::erase_if(nodes, [&](const FoundNode& node) {
    const bool conflicts = core::conflict(where, core::Place{node.resource, node.name.mode});
    return !own || node.name.request == mine.request->id || !conflicts ||
           !core::sequence_before(node.name.sequence, own->sequence);
  });
  std::ranges::sort(nodes, [](const FoundNode& left, const FoundNode& right) {
    return core::sequence_before(left.name.sequence, right.name.sequence);
  });
  return nodes;
}

bool in_the_way(const Request& request, const FoundNode& node) {
  return node.name.request != request.id &&
         std::ranges::any_of(request.places, [&](const core::Place& place) {
           return core::conflict(place, core::Place{node.resource, node.name.mode});
         });
}

// How many of a queue are read: those that hold, which people and children of theirs want to know.
std::size_t worth_reading(const FoundNodes& queue) {
  constexpr std::size_t most = 64;
  const auto first_writer = std::ranges::find_if(
      queue, [](const FoundNode& node) { return node.name.mode == LockMode::exclusive; });
  const auto readers = static_cast<std::size_t>(first_writer - queue.begin());
  return std::min({std::max(readers, std::size_t{1}), most, queue.size()});
}

// One long queue, of which only the front is read. The positions of the others are made up: they
// lie between those that are known in the order of the queue, which is all that is asked of them.
awaitable<Result<std::vector<StandingTicket>>> look_along(ViewPtr view, FoundNodes queue,
                                                          std::int64_t own_zxid,
                                                          std::string own_owner) {
  const std::size_t front = worth_reading(queue);
  FoundNodes to_read;
  FoundNodes rest;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    // What calls itself the asker's own may have been given away.
    const bool reads = i < front || queue[i].name.owner == own_owner;
    (reads ? to_read : rest).push_back(queue[i]);
  }
  Result<FoundNodes> read = co_await read_nodes(view, to_read);
  if (!read) co_return read.error();
  const FoundNodes known = *std::move(read);
  Result<std::vector<StandingTicket>> standing = co_await standing_tickets(view, known);
  if (!standing) co_return standing.error();
  std::int64_t distance = static_cast<std::int64_t>(rest.size());
  for (const FoundNode& node : rest) {
    standing->push_back(standing_ticket(*view, node));
    standing->back().ticket.position = static_cast<std::uint64_t>(own_zxid - distance--);
  }
  co_return standing;
}

}  // namespace

bool EnqueuePlan::any_coarse() const {
  return std::ranges::find(coarse, true) != coarse.end();
}

EnqueuePlan plan_of(const Request& request, const KnownOrders& orders) {
  EnqueuePlan plan;
  std::set<core::Resource> above;
  std::set<core::Resource> unpaired;
  for (const core::Place& place : request.places) {
    plan.coarse.push_back(has_something_below(place.resource, request));
    const std::vector<int> depths = earlier_depths(place.resource.table().path(), orders);
    for (const core::Resource& ancestor : place.resource.ancestors()) {
      above.insert(ancestor);
      const int columns = ancestor.depth() - table_depth;
      if (std::ranges::find(depths, columns) != depths.end()) unpaired.insert(ancestor);
    }
  }
  plan.above.assign(above.begin(), above.end());
  plan.unpaired.assign(unpaired.begin(), unpaired.end());
  for (const TableColumns& columns : request.columns) {
    plan.tables.emplace_back(columns.table);
    plan.depths.push_back(earlier_depths(plan.tables.back().path(), orders));
  }
  plan.in_one_node = request.places.size() == 1 && !plan.any_coarse() && !request.owner_holds;
  return plan;
}

Enqueued unplaced(const Tree& tree, runtime::RequestPtr request, const EnqueuePlan& plan) {
  Enqueued mine;
  const std::string& id = request->id;
  const std::string& owner = request->owner.owner;
  for (std::size_t i = 0; i < request->places.size(); ++i) {
    const core::Place& place = request->places[i];
    mine.nodes.push_back(tree.directory(place.resource) + "/" + lock_prefix(place.mode, id, owner));
    if (!plan.coarse[i]) continue;
    mine.companions.push_back(tree.coarse(place.resource) + "/" +
                              companion_name(place.mode, id, owner));
  }
  if (request->owner_holds) mine.waits.push_back(tree.wait(owner, id));
  mine.owner = owner;
  mine.proof = request->proof;
  mine.request = std::move(request);
  return mine;
}

std::string lock_json(const Enqueued& mine, std::size_t place) {
  const Request& request = *mine.request;
  LockText text;
  text.proof = mine.proof;
  text.since_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(request.since.time_since_epoch())
          .count();
  if (place == 0) {
    text.reason = request.owner.reason;
    if (request.places.size() > 1) text.members = request.places;
  } else {
    text.first = request.places.front().resource.path();
  }
  text.lowered = mine.lowered && request.places[place].mode == LockMode::exclusive;
  if (mine.owner != request.owner.owner) text.owner = mine.owner;
  return to_json(text);
}

std::string companion_json(const Enqueued& mine) {
  LockText text;
  text.proof = mine.proof;
  text.first = mine.request->places.front().resource.path();
  text.lowered = mine.lowered;
  if (mine.owner != mine.request->owner.owner) text.owner = mine.owner;
  return to_json(text);
}

std::vector<Operation> enqueue_operations(const Enqueued& unplaced, const SetOperation& heartbeat) {
  std::vector<Operation> operations{heartbeat};
  for (std::size_t i = 0; i < unplaced.nodes.size(); ++i) {
    operations.emplace_back(CreateOperation{unplaced.nodes[i], lock_json(unplaced, i),
                                            NodeKind::ephemeral_sequential, Access::shared});
  }
  for (const std::string& companion : unplaced.companions) {
    operations.emplace_back(
        CreateOperation{companion, companion_json(unplaced), NodeKind::ephemeral, Access::shared});
  }
  for (const std::string& wait : unplaced.waits) {
    operations.emplace_back(CreateOperation{wait, members_to_json(unplaced.request->places),
                                            NodeKind::ephemeral, Access::shared});
  }
  return operations;
}

std::vector<std::string> Enqueued::all_paths() const {
  std::vector<std::string> paths = nodes;
  paths.insert(paths.end(), companions.begin(), companions.end());
  paths.insert(paths.end(), waits.begin(), waits.end());
  return paths;
}

std::vector<StandingTicket> own_tickets(const View& view, const Enqueued& mine,
                                        const OwnerInfo& self) {
  const Request& request = *mine.request;
  std::vector<StandingTicket> own;
  for (std::size_t i = 0; i < request.places.size(); ++i) {
    StandingTicket standing;
    standing.ticket = {mine.nodes[i], request.id, mine.owner, request.places[i],
                       static_cast<std::uint64_t>(mine.zxid)};
    if (mine.lowered) standing.ticket.place.mode = LockMode::shared;
    standing.token.coordinator = standing.ticket.position;
    standing.owner = self;
    standing.owner.owner = mine.owner;
    standing.owner.reason = request.owner.reason;
    standing.proof = mine.proof;
    standing.session = session_name(view.handle->session_id());
    standing.since = request.since;
    own.push_back(std::move(standing));
  }
  return own;
}

Joined joined_of(const Enqueued& mine) {
  Joined joined;
  for (std::size_t i = 0; i < mine.nodes.size(); ++i) {
    const auto position = static_cast<std::uint64_t>(mine.zxid);
    core::Place place = mine.request->places[i];
    if (mine.lowered) place.mode = LockMode::shared;
    joined.tickets.push_back({mine.nodes[i], mine.request->id, mine.owner, place, position});
    joined.tokens.push_back(FencingToken{position, 0});
  }
  return joined;
}

awaitable<Result<std::vector<StandingTicket>>> look_ahead(ViewPtr view,
                                                          std::shared_ptr<const Enqueued> mine,
                                                          Seen seen, OwnerInfo self) {
  const Request& request = *mine->request;
  std::vector<StandingTicket> all = own_tickets(*view, *mine, self);
  FoundNodes others;
  for (std::size_t i = 0; i < request.places.size(); ++i) {
    FoundNodes mates = older_mates(*view, *mine, i, seen.members[i]);
    std::ranges::move(mates, std::back_inserter(others));
  }
  std::erase_if(seen.elsewhere, [&](const FoundNode& node) { return !in_the_way(request, node); });
  if (others.empty() && seen.elsewhere.empty()) co_return all;
  Result<std::vector<StandingTicket>> standing = std::vector<StandingTicket>();
  if (request.places.size() == 1 && seen.elsewhere.empty() && !request.owner_holds) {
    const std::int64_t zxid = mine->zxid;
    const std::string owner = mine->owner;
    standing = co_await look_along(view, others, zxid, owner);
  } else {
    std::ranges::move(seen.elsewhere, std::back_inserter(others));
    drop_twins(others);
    Result<FoundNodes> read = co_await read_nodes(view, others);
    if (!read) co_return read.error();
    std::erase_if(*read,
                  [&](const FoundNode& node) { return node.content->stat.czxid >= mine->zxid; });
    const FoundNodes older = *std::move(read);
    standing = co_await standing_tickets(view, older);
  }
  if (!standing) co_return standing.error();
  std::ranges::move(*standing, std::back_inserter(all));
  co_return all;
}

}  // namespace locker::backends::zookeeper
