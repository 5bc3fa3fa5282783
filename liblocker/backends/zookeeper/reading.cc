#include "backends/zookeeper/reading.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

namespace locker::backends::zookeeper {

using runtime::awaitable;
using runtime::StandingTicket;

namespace {

std::chrono::system_clock::time_point wall_time(WallMs ms) {
  return std::chrono::system_clock::time_point(std::chrono::milliseconds(ms));
}

core::Resource child_of(const core::Resource& resource, const std::string& name) {
  return core::Resource::from_path(resource.path() + "/" + name);
}

int depth_of(const core::Resource& resource) {
  return resource.empty() ? 0 : resource.depth();
}

// The resources above these, each once.
std::vector<core::Resource> all_ancestors(const std::vector<core::Resource>& resources) {
  std::set<core::Resource> above;
  for (const core::Resource& resource : resources) {
    for (const core::Resource& ancestor : resource.ancestors()) above.insert(ancestor);
  }
  return {above.begin(), above.end()};
}

// A partition that had nothing below it may have got something since.
bool may_lack_companions(const core::Resource& resource) {
  constexpr int table_depth = 2;
  return resource.depth() > table_depth;
}

}  // namespace

void drop_twins(FoundNodes& nodes) {
  std::set<std::pair<std::string, std::string>> seen;
  std::erase_if(nodes, [&](const FoundNode& node) {
    return !seen.emplace(node.resource.path(), node.name.request).second;
  });
}

FoundNodes lock_nodes(const Tree& tree, const core::Resource& resource,
                      const std::vector<std::string>& children) {
  FoundNodes nodes;
  for (const std::string& child : children) {
    std::optional<NodeName> name = read_lock_name(child);
    if (!name) continue;
    // A table may be called like another client's node: those lock partitions and tables alone.
    constexpr int least_foreign_depth = 2;
    if (name->foreign && depth_of(resource) < least_foreign_depth) continue;
    nodes.push_back(
        {tree.directory(resource) + "/" + child, resource, *std::move(name), std::nullopt, {}});
  }
  return nodes;
}

FoundNodes companions(const Tree& tree, const core::Resource& resource,
                      const std::vector<std::string>& children) {
  FoundNodes nodes;
  for (const std::string& child : children) {
    std::optional<NodeName> name = read_companion_name(child);
    if (!name) continue;
    nodes.push_back(
        {tree.coarse(resource) + "/" + child, resource, *std::move(name), std::nullopt, {}});
  }
  return nodes;
}

awaitable<Result<std::vector<std::optional<Children>>>> children_of(
    ViewPtr view, std::vector<std::string> paths) {
  std::vector<std::optional<Children>> all;
  std::deque<Flight<Children>> flights;
  std::size_t sent = 0;
  while (all.size() < paths.size()) {
    while (sent < paths.size() && flights.size() < read_window) {
      flights.push_back(view->handle->children(paths[sent++]));
    }
    Flight<Children> next = std::move(flights.front());
    flights.pop_front();
    Result<Children> read = co_await next.answer();
    Result<std::optional<Children>> one = if_there(std::move(read));
    if (!one) co_return one.error();
    all.push_back(*std::move(one));
  }
  co_return all;
}

awaitable<Result<std::vector<std::optional<NodeData>>>> data_of(ViewPtr view,
                                                                std::vector<std::string> paths) {
  std::vector<std::optional<NodeData>> all;
  std::deque<Flight<NodeData>> flights;
  std::size_t sent = 0;
  while (all.size() < paths.size()) {
    while (sent < paths.size() && flights.size() < read_window) {
      flights.push_back(view->handle->get(paths[sent++]));
    }
    Flight<NodeData> next = std::move(flights.front());
    flights.pop_front();
    Result<NodeData> read = co_await next.answer();
    Result<std::optional<NodeData>> one = if_there(std::move(read));
    if (!one) co_return one.error();
    all.push_back(*std::move(one));
  }
  co_return all;
}

awaitable<Result<FoundNodes>> read_nodes(ViewPtr view, FoundNodes nodes) {
  std::vector<std::string> paths;
  for (const FoundNode& node : nodes) paths.push_back(node.path);
  Result<std::vector<std::optional<NodeData>>> all = co_await data_of(view, paths);
  if (!all) co_return all.error();
  FoundNodes present;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::optional<NodeData>& data = (*all)[i];
    if (!data) continue;
    FoundNode node = std::move(nodes[i]);
    // What another client writes into its nodes says nothing to us.
    if (!node.name.foreign) node.text = lock_text(data->data);
    node.content = std::move(data);
    present.push_back(std::move(node));
  }
  co_return present;
}

awaitable<Result<FoundNodes>> walk_below(ViewPtr view, core::Resource top,
                                         std::shared_ptr<std::vector<core::Resource>> directories) {
  FoundNodes found;
  std::vector<core::Resource> level{top};
  bool at_top = true;
  while (!level.empty()) {
    std::vector<std::string> paths;
    for (const core::Resource& resource : level) paths.push_back(view->tree.directory(resource));
    Result<std::vector<std::optional<Children>>> all = co_await children_of(view, paths);
    if (!all) co_return all.error();
    std::vector<core::Resource> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (!(*all)[i]) continue;
      const Children& children = *(*all)[i];
      if (!at_top) {
        FoundNodes here = lock_nodes(view->tree, level[i], children);
        std::ranges::move(here, std::back_inserter(found));
      }
      for (const std::string& child : children) {
        if (!is_resource_name(child, depth_of(level[i]) + 1)) continue;
        next.push_back(child_of(level[i], child));
        if (directories != nullptr) directories->push_back(next.back());
      }
    }
    level = std::move(next);
    at_top = false;
  }
  co_return found;
}

awaitable<Result<FoundNodes>> everything(ViewPtr view, core::Resource prefix) {
  const std::shared_ptr<std::vector<core::Resource>> nobody_asks;
  Result<FoundNodes> found = co_await walk_below(view, prefix, nobody_asks);
  if (!found) co_return found.error();
  if (!prefix.empty()) {
    const std::vector<std::string> paths{view->tree.directory(prefix)};
    Result<std::vector<std::optional<Children>>> own = co_await children_of(view, paths);
    if (!own) co_return own.error();
    if (own->front()) {
      FoundNodes here = lock_nodes(view->tree, prefix, *own->front());
      std::ranges::move(here, std::back_inserter(*found));
    }
  }
  const FoundNodes nodes = *std::move(found);
  co_return co_await read_nodes(view, nodes);
}

awaitable<Result<std::int64_t>> server_time_ms(ViewPtr view,
                                               std::shared_ptr<runtime::Clock> clock) {
  // The leader stamps every write.
  Flight<Stat> write = view->handle->set(view->tree.records(), "");
  const Result<Stat> written = co_await write.answer();
  if (written) co_return written->modified_ms;
  if (written.error().errc != Errc::unauthorized) co_return written.error();
  // Whoever may only read goes by the own clock.
  const auto now = clock->wall_now().time_since_epoch();
  co_return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

awaitable<Result<FoundNodes>> nodes_meeting(ViewPtr view, std::vector<core::Resource> resources) {
  // What is above is seen by its companions, and where a table got further columns by its nodes.
  const std::vector<core::Resource> above = all_ancestors(resources);
  std::vector<std::string> paths;
  for (const core::Resource& resource : resources) paths.push_back(view->tree.directory(resource));
  for (const core::Resource& resource : above) {
    paths.push_back(view->tree.coarse(resource));
    if (may_lack_companions(resource)) paths.push_back(view->tree.directory(resource));
  }
  Result<std::vector<std::optional<Children>>> all = co_await children_of(view, paths);
  if (!all) co_return all.error();
  FoundNodes found;
  auto keep = [&](FoundNodes nodes) { std::ranges::move(nodes, std::back_inserter(found)); };
  std::size_t index = 0;
  for (const core::Resource& resource : resources) {
    const std::optional<Children>& children = (*all)[index++];
    if (children) keep(lock_nodes(view->tree, resource, *children));
  }
  for (const core::Resource& resource : above) {
    const std::optional<Children>& coarse = (*all)[index++];
    if (may_lack_companions(resource)) {
      const std::optional<Children>& own = (*all)[index++];
      if (own) keep(lock_nodes(view->tree, resource, *own));
    }
    if (coarse) keep(companions(view->tree, resource, *coarse));
  }
  for (const core::Resource& resource : resources) {
    Result<FoundNodes> below = co_await walk_below(view, resource, nullptr);
    if (!below) co_return below.error();
    keep(*std::move(below));
  }
  drop_twins(found);
  co_return found;
}

StandingTicket standing_ticket(const View& view, const FoundNode& node) {
  StandingTicket standing;
  standing.ticket.node = node.path;
  standing.ticket.request = node.name.request;
  standing.ticket.owner = node.owner();
  standing.ticket.place = {node.resource, node.mode()};
  standing.proof = node.text.proof;
  standing.since = wall_time(node.text.since_ms);
  if (node.content) {
    const Stat& stat = node.content->stat;
    standing.ticket.position = static_cast<std::uint64_t>(stat.czxid);
    standing.token.coordinator = standing.ticket.position;
    standing.session = session_name(stat.session);
    if (node.text.since_ms == 0) standing.since = wall_time(stat.created_ms);
    const auto process = view.processes->find(standing.session);
    if (process != view.processes->end()) standing.owner = process->second;
    if (node.name.foreign) standing.owner.application = "another ZooKeeper client";
  }
  standing.owner.owner = node.owner();
  standing.owner.reason = node.text.reason;
  return standing;
}

awaitable<Result<std::vector<StandingTicket>>> standing_tickets(ViewPtr view, FoundNodes nodes) {
  std::set<std::string> unknown;
  for (const FoundNode& node : nodes) {
    if (!node.content) continue;
    const std::string session = session_name(node.content->stat.session);
    if (!view->processes->contains(session)) unknown.insert(session);
  }
  const std::vector<std::string> sessions(unknown.begin(), unknown.end());
  std::vector<std::string> paths;
  for (const std::string& session : sessions) paths.push_back(view->tree.owner(session));
  Result<std::vector<std::optional<NodeData>>> owners = co_await data_of(view, paths);
  if (!owners) co_return owners.error();
  constexpr std::size_t most_remembered = 4096;
  if (view->processes->size() > most_remembered) view->processes->clear();
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const std::optional<NodeData>& owner = (*owners)[i];
    if (owner) view->processes->insert_or_assign(sessions[i], session_text(owner->data).process);
  }
  std::vector<StandingTicket> standing;
  for (const FoundNode& node : nodes) standing.push_back(standing_ticket(*view, node));
  co_return standing;
}

std::optional<TableColumns> columns_in(const core::Resource& table, const TableText& text) {
  if (text.columns.empty()) return std::nullopt;
  TableColumns columns;
  if (Result<PartitionSpec> spec = table.spec()) columns.table = *std::move(spec);
  columns.columns = text.columns;
  columns.set_by = text.set_by;
  columns.set_at = wall_time(text.set_at_ms);
  columns.registered = text.registered;
  return columns;
}

awaitable<Result<void>> make_containers(ViewPtr view, std::vector<std::string> paths) {
  // Each path's parents come before it, all in one flight; what is there already is no failure.
  std::vector<std::string> wanted;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    for (std::size_t end = view->tree.root().size(); end != std::string::npos;) {
      end = path.find('/', end + 1);
      const std::string part = path.substr(0, end);
      if (seen.insert(part).second) wanted.push_back(part);
    }
  }
  std::deque<Flight<Created>> flights;
  std::size_t sent = 0;
  std::size_t landed = 0;
  while (landed < wanted.size()) {
    while (sent < wanted.size() && flights.size() < read_window) {
      flights.push_back(view->handle->create(wanted[sent++], "", NodeKind::container));
    }
    Flight<Created> next = std::move(flights.front());
    flights.pop_front();
    const Result<Created> made = co_await next.answer();
    ++landed;
    if (!made && made.error().code != "node_exists") co_return made.error();
  }
  co_return Result<void>();
}

}  // namespace locker::backends::zookeeper
