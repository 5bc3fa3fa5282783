#include "backends/zookeeper/session_list.h"

#include <algorithm>
#include <map>
#include <utility>

namespace locker::backends::zookeeper {

using runtime::awaitable;

namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

// What stands in the queues by one session.
struct Places {
  FoundNodes nodes;
  std::int64_t newest_ms = 0;
};
using PlacesBySession = std::map<std::string, Places>;

system_clock::time_point wall_time(std::int64_t ms) {
  return system_clock::time_point(milliseconds(ms));
}

PlacesBySession by_session(const FoundNodes& nodes) {
  PlacesBySession places;
  for (const FoundNode& node : nodes) {
    Places& own = places[session_name(node.content->stat.session)];
    own.nodes.push_back(node);
    own.newest_ms = std::max(own.newest_ms, node.content->stat.created_ms);
  }
  return places;
}

SessionInfo living(const std::string& id, const NodeData& owner, const Places& places,
                   std::int64_t now_ms) {
  const SessionText text = session_text(owner.data);
  SessionInfo info;
  info.id = id;
  info.process = text.process;
  info.alive = true;
  info.liveness = "its ZooKeeper session lives";
  info.opened = wall_time(text.opened_ms);
  info.locks = static_cast<int>(places.nodes.size());
  if (text.timeout_ms > 0) info.timeout = milliseconds(text.timeout_ms);
  // Who holds nothing sends none, and the first place after that is as good as one.
  if (info.locks > 0) {
    const std::int64_t heard_ms = std::max(owner.stat.modified_ms, places.newest_ms);
    info.heartbeat_age = milliseconds(std::max<std::int64_t>(now_ms - heard_ms, 0));
  }
  return info;
}

// What another client wrote into its node, if that is a few readable words: Curator writes its
// host's address.
std::string readable(const std::string& data) {
  constexpr std::size_t longest = 64;
  const auto plain = [](char each) { return each > ' ' && each < '\x7f'; };
  return data.size() <= longest && std::ranges::all_of(data, plain) ? data : std::string();
}

SessionInfo of_a_stranger(const std::string& id, const Places& places) {
  const FoundNode& first = places.nodes.front();
  SessionInfo info;
  info.id = id;
  info.process.application = "another ZooKeeper client";
  info.process.host = readable(first.content->data);
  info.alive = true;
  info.liveness = "its ZooKeeper session lives, with the node " + first.path;
  info.opened = wall_time(first.content->stat.created_ms);
  info.locks = static_cast<int>(places.nodes.size());
  info.foreign = true;
  return info;
}

SessionInfo of_a_broken_one(const std::string& id, const Places& places,
                            const std::optional<NodeData>& mark) {
  SessionInfo info;
  info.id = id;
  info.process.owner = places.nodes.front().owner();
  info.opened = wall_time(places.nodes.front().content->stat.created_ms);
  info.locks = static_cast<int>(places.nodes.size());
  info.broken = true;
  info.liveness = "its node is gone, " + places.nodes.front().path + " is left";
  if (mark) {
    const BrokenText text = broken_text(mark->data);
    if (text.timeout_ms > 0) info.timeout = milliseconds(text.timeout_ms);
    info.liveness = "broken by " + text.by + ": " + text.reason;
  }
  return info;
}

// Those that said nothing of themselves: looked at once more, since sessions come and go meanwhile.
awaitable<Result<std::vector<SessionInfo>>> others(ViewPtr view, PlacesBySession places,
                                                   std::int64_t now_ms) {
  std::vector<std::string> owners;
  std::vector<std::string> marks;
  FoundNodes nodes;
  for (const auto& [id, own] : places) {
    owners.push_back(view->tree.owner(id));
    marks.push_back(view->tree.broken(id));
    nodes.insert(nodes.end(), own.nodes.begin(), own.nodes.end());
  }
  Result<std::vector<std::optional<NodeData>>> present = co_await data_of(view, owners);
  if (!present) co_return present.error();
  Result<std::vector<std::optional<NodeData>>> broken = co_await data_of(view, marks);
  if (!broken) co_return broken.error();
  Result<FoundNodes> left = co_await read_nodes(view, nodes);
  if (!left) co_return left.error();
  const PlacesBySession standing = by_session(*left);
  std::vector<SessionInfo> sessions;
  std::size_t index = 0;
  for (const auto& [id, own] : places) {
    const std::optional<NodeData>& owner = (*present)[index];
    const std::optional<NodeData>& mark = (*broken)[index];
    ++index;
    const auto found = standing.find(id);
    if (found == standing.end()) continue;
    const bool foreign = std::ranges::all_of(
        found->second.nodes, [](const FoundNode& node) { return node.name.foreign; });
    if (owner) {
      sessions.push_back(living(id, *owner, found->second, now_ms));
    } else if (foreign) {
      sessions.push_back(of_a_stranger(id, found->second));
    } else {
      sessions.push_back(of_a_broken_one(id, found->second, mark));
    }
  }
  co_return sessions;
}

}  // namespace

awaitable<Result<std::vector<SessionInfo>>> list_sessions(ViewPtr view,
                                                          std::shared_ptr<runtime::Clock> clock) {
  Result<std::int64_t> now_ms = co_await server_time_ms(view, clock);
  if (!now_ms) co_return now_ms.error();
  Flight<Children> list = view->handle->children(view->tree.owners());
  Result<Children> names = co_await list.answer();
  if (!names) co_return names.error();
  std::ranges::sort(*names);
  std::vector<std::string> paths;
  for (const std::string& name : *names) paths.push_back(view->tree.owner(name));
  Result<std::vector<std::optional<NodeData>>> owners = co_await data_of(view, paths);
  if (!owners) co_return owners.error();
  const core::Resource everywhere;
  Result<FoundNodes> nodes = co_await everything(view, everywhere);
  if (!nodes) co_return nodes.error();
  PlacesBySession places = by_session(*nodes);
  std::vector<SessionInfo> sessions;
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::optional<NodeData>& owner = (*owners)[i];
    if (!owner) continue;
    const std::string& id = (*names)[i];
    sessions.push_back(living(id, *owner, places[id], *now_ms));
    places.erase(id);
  }
  const std::int64_t now = *now_ms;
  Result<std::vector<SessionInfo>> rest = co_await others(view, places, now);
  if (!rest) co_return rest.error();
  std::ranges::move(*rest, std::back_inserter(sessions));
  co_return sessions;
}

}  // namespace locker::backends::zookeeper
