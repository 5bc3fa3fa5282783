#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/zookeeper/handle.h"
#include "backends/zookeeper/node_text.h"
#include "backends/zookeeper/tree.h"
#include "runtime/lock_backend.h"

namespace locker::backends::zookeeper {

// The most reads that are under way at once, so that a heartbeat passes them within a moment.
inline constexpr std::size_t read_window = 256;

// Who the sessions are, by name. A session never says anything else of itself, so what was read
// once stays true.
using ProcessBook = std::map<std::string, OwnerInfo>;

// What everything that reads the tree goes by.
struct View {
  HandlePtr handle;
  Tree tree;
  std::shared_ptr<ProcessBook> processes;
};
using ViewPtr = std::shared_ptr<const View>;

// A node of a queue as it was found.
struct FoundNode {
  std::string path;
  core::Resource resource;
  NodeName name;
  std::optional<NodeData> content;  // once it was read
  LockText text;                    // likewise

  // Its present mode and owner, as far as they are known.
  LockMode mode() const { return text.lowered ? LockMode::shared : name.mode; }
  const std::string& owner() const { return text.owner.empty() ? name.owner : text.owner; }
};
using FoundNodes = std::vector<FoundNode>;

// The nodes of queues among the children of a resource's directory, or of its `.coarse`.
FoundNodes lock_nodes(const Tree& tree, const core::Resource& resource,
                      const std::vector<std::string>& children);
FoundNodes companions(const Tree& tree, const core::Resource& resource,
                      const std::vector<std::string>& children);

// A node and its companion tell of one ticket: the first of them is kept.
void drop_twins(FoundNodes& nodes);

// The answer of a read for which "there is no such node" means "nothing there".
template <typename T>
Result<std::optional<T>> if_there(Result<T> read) {
  if (read) return std::optional<T>(*std::move(read));
  if (read.error().errc == Errc::not_found) return std::optional<T>();
  return std::move(read).error();
}

using Children = std::vector<std::string>;
// The children of each path, in that order; nothing for a path that is not there.
runtime::awaitable<Result<std::vector<std::optional<Children>>>> children_of(
    ViewPtr view, std::vector<std::string> paths);
// Likewise the data of each.
runtime::awaitable<Result<std::vector<std::optional<NodeData>>>> data_of(
    ViewPtr view, std::vector<std::string> paths);

// Reads what the nodes hold; those that have gone are left out.
runtime::awaitable<Result<FoundNodes>> read_nodes(ViewPtr view, FoundNodes nodes);

// Every node of a queue below `top`, not at it; empty: everywhere. Only names are known.
// `directories`, where it is not null, gets the resource of every directory that was seen.
runtime::awaitable<Result<FoundNodes>> walk_below(
    ViewPtr view, core::Resource top, std::shared_ptr<std::vector<core::Resource>> directories);

// Every node of a queue at or below `prefix`, read; empty: everywhere.
runtime::awaitable<Result<FoundNodes>> everything(ViewPtr view, core::Resource prefix);

// The present time by the servers' clock, which is what the times in a Stat are by.
runtime::awaitable<Result<std::int64_t>> server_time_ms(ViewPtr view,
                                                        std::shared_ptr<runtime::Clock> clock);

// Every node of a queue that meets one of these places: at them, above and below.
runtime::awaitable<Result<FoundNodes>> nodes_meeting(ViewPtr view,
                                                     std::vector<core::Resource> resources);

// Nodes that were read, with the processes behind them; a node of a session that no longer says
// who it is has an empty process.
runtime::awaitable<Result<std::vector<runtime::StandingTicket>>> standing_tickets(ViewPtr view,
                                                                                  FoundNodes nodes);

// What is known of one node; its position is its czxid.
runtime::StandingTicket standing_ticket(const View& view, const FoundNode& node);

// The column order that a table's node holds; nothing where none is fixed.
std::optional<TableColumns> columns_in(const core::Resource& table, const TableText& text);

// Makes the containers of a path, from the root's child down to itself. What is there already is
// left as it is.
runtime::awaitable<Result<void>> make_containers(ViewPtr view, std::vector<std::string> paths);

}  // namespace locker::backends::zookeeper
