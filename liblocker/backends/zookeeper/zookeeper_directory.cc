#include "backends/zookeeper/zookeeper_directory.h"

#include <algorithm>
#include <set>
#include <utility>

#include "backends/zookeeper/zookeeper_backend.h"

namespace locker::backends::zookeeper {

using runtime::awaitable;
using runtime::StandingTicket;

namespace {

constexpr int table_depth = 2;
constexpr std::chrono::minutes old_enough{5};
constexpr std::chrono::hours marker_kept_for{24};

std::chrono::system_clock::time_point wall_time(std::int64_t ms) {
  return std::chrono::system_clock::time_point(std::chrono::milliseconds(ms));
}

std::int64_t wall_ms(const runtime::Clock& clock) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock.wall_now().time_since_epoch())
      .count();
}

// Every node of a queue at or below a resource, read.
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

}  // namespace

awaitable<Result<std::vector<StandingTicket>>> ZooKeeperDirectory::list(core::Resource prefix) {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  Flight<void> sync = view->handle->sync(view->tree.root());
  const Result<void> caught_up = co_await sync.answer();
  if (!caught_up) co_return caught_up.error();
  Result<FoundNodes> found = co_await everything(view, prefix);
  if (!found) co_return found.error();
  const FoundNodes nodes = *std::move(found);
  co_return co_await standing_tickets(view, nodes);
}

awaitable<Result<std::vector<SessionInfo>>> ZooKeeperDirectory::sessions() {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
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
  std::map<std::string, int> locks;
  for (const FoundNode& node : *nodes) ++locks[session_name(node.content->stat.session)];
  const std::int64_t now_ms = wall_ms(*backend_.options().clock);
  std::vector<SessionInfo> sessions;
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::optional<NodeData>& owner = (*owners)[i];
    if (!owner) continue;
    const SessionText text = session_text(owner->data);
    SessionInfo info;
    info.id = (*names)[i];
    info.process = text.process;
    info.alive = true;
    info.liveness = "its ZooKeeper session lives";
    info.opened = wall_time(text.opened_ms);
    // By the servers' clock and by ours, which may differ a little: it is for people to read.
    const std::int64_t age_ms = now_ms - owner->stat.modified_ms;
    info.heartbeat_age = std::chrono::milliseconds(std::max<std::int64_t>(age_ms, 0));
    info.locks = locks[info.id];
    sessions.push_back(std::move(info));
  }
  co_return sessions;
}

awaitable<Result<void>> ZooKeeperDirectory::break_session(std::string session_id,
                                                          std::string reason) {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  const HandlePtr handle = view->handle;
  const OwnerInfo& self = backend_.options().self;
  const BrokenText text{reason, self.user + "@" + self.host, wall_ms(*backend_.options().clock)};
  Flight<Created> mark =
      handle->create(view->tree.broken(session_id), to_json(text), NodeKind::persistent);
  Flight<void> remove = handle->remove(view->tree.owner(session_id));
  // All sessions watch this node: the broken one hears of its break at once.
  Flight<Stat> news = handle->set(view->tree.all_broken(), session_id);
  const Result<Created> marked = co_await mark.answer();
  const Result<void> removed = co_await remove.answer();
  const Result<Stat> told = co_await news.answer();
  if (!marked && marked.error().code != "node_exists") co_return marked.error();
  if (!removed && removed.error().errc != Errc::not_found) co_return removed.error();
  if (!told) co_return told.error();
  co_return Result<void>();
}

awaitable<Result<void>> ZooKeeperDirectory::remove_broken(std::string session_id) {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  Flight<Stat> look = view->handle->exists(view->tree.broken(session_id));
  const Result<Stat> broken = co_await look.answer();
  if (!broken && broken.error().errc == Errc::not_found) co_return Result<void>();
  if (!broken) co_return broken.error();
  const core::Resource everywhere;
  Result<FoundNodes> nodes = co_await everything(view, everywhere);
  if (!nodes) co_return nodes.error();
  std::vector<Flight<void>> flights;
  for (const FoundNode& node : *nodes) {
    if (session_name(node.content->stat.session) != session_id) continue;
    // The companion before its lock: whoever sees neither must not find the lock still standing.
    const std::string companion =
        companion_name(node.name.mode, node.name.request, node.name.owner);
    flights.push_back(view->handle->remove(node.path));
    flights.push_back(view->handle->remove(view->tree.coarse(node.resource) + "/" + companion));
  }
  Result<void> outcome;
  for (Flight<void>& flight : flights) {
    const Result<void> removed = co_await flight.answer();
    if (!removed && removed.error().errc != Errc::not_found) outcome = removed;
  }
  co_return outcome;
}

// Containers that never had a child stay for ever on servers before 3.10; and the marks of breaks
// are of no use once everybody has read them.
awaitable<Result<int>> ZooKeeperDirectory::clean() {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  const HandlePtr handle = view->handle;
  const auto directories = std::make_shared<std::vector<core::Resource>>();
  const core::Resource everywhere;
  Result<FoundNodes> walked = co_await walk_below(view, everywhere, directories);
  if (!walked) co_return walked.error();
  std::vector<std::string> paths;
  // The deepest first, each after what is below it.
  std::ranges::sort(*directories, std::ranges::greater());
  for (const core::Resource& resource : *directories) {
    paths.push_back(view->tree.coarse(resource));
    paths.push_back(view->tree.directory(resource));
  }
  Flight<Children> list = handle->children(view->tree.all_broken());
  const Result<Children> marks = co_await list.answer();
  if (!marks) co_return marks.error();
  for (const std::string& mark : *marks) paths.push_back(view->tree.broken(mark));
  Flight<Stat> clock = handle->set(view->tree.records(), "");
  const Result<Stat> now = co_await clock.answer();
  if (!now) co_return now.error();
  int removed = 0;
  for (const std::string& path : paths) {
    Flight<NodeData> look = handle->get(path);
    const Result<NodeData> node = co_await look.answer();
    if (!node) continue;
    const bool mark = path.starts_with(view->tree.all_broken() + "/");
    const std::chrono::milliseconds age(now->modified_ms - node->stat.modified_ms);
    const bool empty = node->stat.children == 0 && node->data.empty() && age > old_enough;
    if (mark ? age <= marker_kept_for : !empty) continue;
    Flight<void> remove = handle->remove(path, node->stat.version);
    const Result<void> gone = co_await remove.answer();
    if (gone) ++removed;
  }
  co_return removed;
}

awaitable<Result<std::optional<TableColumns>>> ZooKeeperDirectory::columns(core::Resource table) {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  Flight<NodeData> look = view->handle->get(view->tree.directory(table));
  Result<NodeData> read = co_await look.answer();
  Result<std::optional<NodeData>> there = if_there(std::move(read));
  if (!there) co_return there.error();
  if (!there->has_value()) co_return std::optional<TableColumns>();
  const Result<TableText> text = table_text((*there)->data);
  if (!text) co_return text.error();
  co_return columns_in(table, *text);
}

awaitable<Result<std::vector<TableColumns>>> ZooKeeperDirectory::tables() {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  std::vector<core::Resource> level{core::Resource()};
  for (int depth = 1; depth <= table_depth; ++depth) {
    std::vector<std::string> paths;
    for (const core::Resource& resource : level) paths.push_back(view->tree.directory(resource));
    Result<std::vector<std::optional<Children>>> all = co_await children_of(view, paths);
    if (!all) co_return all.error();
    std::vector<core::Resource> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (!(*all)[i]) continue;
      for (const std::string& child : *(*all)[i]) {
        if (!is_resource_name(child, depth)) continue;
        next.push_back(core::Resource::from_path(level[i].path() + "/" + child));
      }
    }
    level = std::move(next);
  }
  std::ranges::sort(level);
  std::vector<std::string> paths;
  for (const core::Resource& table : level) paths.push_back(view->tree.directory(table));
  Result<std::vector<std::optional<NodeData>>> data = co_await data_of(view, paths);
  if (!data) co_return data.error();
  std::vector<TableColumns> tables;
  for (std::size_t i = 0; i < level.size(); ++i) {
    if (!(*data)[i]) continue;
    const Result<TableText> text = table_text((*data)[i]->data);
    if (!text) co_return text.error();
    if (auto columns = columns_in(level[i], *text)) tables.push_back(*std::move(columns));
  }
  co_return tables;
}

namespace {

// The order as it is to be written over `present`.
TableText successor(const TableText& present, const TableColumns& columns) {
  TableText text;
  text.columns = columns.columns;
  text.set_by = columns.set_by;
  text.set_at_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(columns.set_at.time_since_epoch())
          .count();
  text.registered = columns.registered;
  // Whoever waits with the old order, or forgot it with its owner, may lack companions.
  std::set<int> depths(present.earlier_depths.begin(), present.earlier_depths.end());
  if (!present.columns.empty()) depths.insert(static_cast<int>(present.columns.size()));
  depths.erase(static_cast<int>(columns.columns.size()));
  text.earlier_depths.assign(depths.begin(), depths.end());
  return text;
}

}  // namespace

awaitable<Result<void>> ZooKeeperDirectory::set_columns(TableColumns columns,
                                                        std::optional<TableColumns> expected) {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  const HandlePtr handle = view->handle;
  const core::Resource table(columns.table);
  const std::string path = view->tree.directory(table);
  const std::vector<std::string> containers{path};
  const std::vector<std::string> wanted =
      expected.has_value() ? expected->columns : std::vector<std::string>();
  const Error other = make_error(Errc::conflict, columns.table.to_string() +
                                                     " got another column order meanwhile: look "
                                                     "at it and try again");
  while (true) {
    const Result<void> room = co_await make_containers(view, containers);
    if (!room) co_return room.error();
    if (columns.registered) {
      // A child that stays keeps the container, and the order in it.
      Flight<Created> keep = handle->create(view->tree.registered(table), "", NodeKind::persistent);
      const Result<Created> kept = co_await keep.answer();
      if (!kept && kept.error().errc == Errc::not_found) continue;
      if (!kept && kept.error().code != "node_exists") co_return kept.error();
    }
    Flight<NodeData> look = handle->get(path);
    const Result<NodeData> read = co_await look.answer();
    if (!read && read.error().errc == Errc::not_found) continue;
    if (!read) co_return read.error();
    const Result<TableText> present = table_text(read->data);
    if (!present) co_return present.error();
    if (present->columns != wanted) co_return other;
    const std::string json = to_json(successor(*present, columns));
    Flight<Stat> write = handle->set(path, json, read->stat.version);
    const Result<Stat> written = co_await write.answer();
    if (written) co_return Result<void>();
    if (written.error().code == "bad_version") co_return other;
    if (written.error().errc != Errc::not_found) co_return written.error();
  }
}

awaitable<Result<void>> ZooKeeperDirectory::forget_columns(core::Resource table) {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  const HandlePtr handle = view->handle;
  const std::string path = view->tree.directory(table);
  const Error none = make_error(Errc::not_found, table.path() + " has no column order");
  Flight<NodeData> look = handle->get(path);
  const Result<NodeData> read = co_await look.answer();
  if (!read && read.error().errc == Errc::not_found) co_return none;
  if (!read) co_return read.error();
  const Result<TableText> present = table_text(read->data);
  if (!present) co_return present.error();
  if (present->columns.empty()) co_return none;
  const TableColumns nothing;
  Flight<Stat> write = handle->set(path, to_json(successor(*present, nothing)), read->stat.version);
  Flight<void> let_go = handle->remove(view->tree.registered(table));
  const Result<Stat> written = co_await write.answer();
  const Result<void> released = co_await let_go.answer();
  if (!written) co_return written.error();
  if (!released && released.error().errc != Errc::not_found) co_return released;
  co_return Result<void>();
}

awaitable<Result<std::optional<std::string>>> ZooKeeperDirectory::read(std::string key) {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  Flight<void> sync = view->handle->sync(view->tree.root());
  Flight<NodeData> look = view->handle->get(view->tree.record(key));
  const Result<void> caught_up = co_await sync.answer();
  if (!caught_up) co_return caught_up.error();
  Result<NodeData> read = co_await look.answer();
  Result<std::optional<NodeData>> there = if_there(std::move(read));
  if (!there) co_return there.error();
  if (!there->has_value()) co_return std::optional<std::string>();
  const Result<RecordText> record = record_text((*there)->data);
  if (!record) co_return record.error();
  co_return std::optional<std::string>(record->value);
}

}  // namespace locker::backends::zookeeper
