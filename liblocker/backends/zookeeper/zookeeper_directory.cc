#include "backends/zookeeper/zookeeper_directory.h"

#include <algorithm>
#include <set>
#include <utility>

#include "backends/zookeeper/left_overs.h"
#include "backends/zookeeper/prepared_directories.h"
#include "backends/zookeeper/session_list.h"
#include "backends/zookeeper/zookeeper_backend.h"

namespace locker::backends::zookeeper {

using runtime::awaitable;
using runtime::StandingTicket;

namespace {

constexpr int table_depth = 2;
// Long enough for any holder by a broken session of which nobody knew the time-out.
constexpr std::chrono::hours longest_timeout{1};

std::int64_t wall_ms(const runtime::Clock& clock) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock.wall_now().time_since_epoch())
      .count();
}

// Takes every place of a session away; how many.
awaitable<Result<int>> remove_places(ViewPtr view, std::string session_id) {
  const core::Resource everywhere;
  Result<FoundNodes> nodes = co_await everything(view, everywhere);
  if (!nodes) co_return nodes.error();
  std::vector<Flight<void>> flights;
  for (const FoundNode& node : *nodes) {
    if (session_name(node.content->stat.session) != session_id) continue;
    // With its companion, where it has one.
    const std::string companion =
        companion_name(node.name.mode, node.name.request, node.name.owner);
    flights.push_back(view->handle->remove(node.path));
    flights.push_back(view->handle->remove(view->tree.coarse(node.resource) + "/" + companion));
  }
  Result<int> removed = 0;
  for (Flight<void>& flight : flights) {
    const Result<void> gone = co_await flight.answer();
    if (gone && removed) ++*removed;
    if (!gone && gone.error().errc != Errc::not_found) removed = gone.error();
  }
  co_return removed;
}

// Of sessions whose break nobody finished, once their holders have certainly stopped.
awaitable<Result<int>> remove_broken_places(ViewPtr view, std::int64_t now_ms) {
  Flight<Children> list = view->handle->children(view->tree.all_broken());
  Result<Children> names = co_await list.answer();
  if (!names) co_return names.error();
  std::vector<std::string> paths;
  for (const std::string& name : *names) paths.push_back(view->tree.broken(name));
  Result<std::vector<std::optional<NodeData>>> marks = co_await data_of(view, paths);
  if (!marks) co_return marks.error();
  int removed = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::optional<NodeData>& mark = (*marks)[i];
    if (!mark) continue;
    const std::int64_t timeout_ms = broken_text(mark->data).timeout_ms;
    std::chrono::milliseconds grace = longest_timeout;
    if (timeout_ms > 0) grace = std::chrono::milliseconds(timeout_ms);
    if (now_ms - mark->stat.created_ms <= grace.count()) continue;
    const std::string session = (*names)[i];
    Result<int> places = co_await remove_places(view, session);
    if (!places) co_return places;
    removed += *places;
  }
  co_return removed;
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
  const std::shared_ptr<runtime::Clock> clock = backend_.options().clock;
  co_return co_await list_sessions(view, clock);
}

awaitable<Result<void>> ZooKeeperDirectory::break_session(std::string session_id,
                                                          std::string reason) {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  const HandlePtr handle = view->handle;
  const OwnerInfo& self = backend_.options().self;
  BrokenText text{reason, self.user + "@" + self.host, wall_ms(*backend_.options().clock), 0};
  Flight<NodeData> look = handle->get(view->tree.owner(session_id));
  const Result<NodeData> owner = co_await look.answer();
  if (owner) text.timeout_ms = session_text(owner->data).timeout_ms;
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
  Result<int> removed = co_await remove_places(view, session_id);
  if (!removed) co_return removed.error();
  co_return Result<void>();
}

awaitable<Result<std::vector<LeftOver>>> ZooKeeperDirectory::left_overs() {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  const std::shared_ptr<runtime::Clock> clock = backend_.options().clock;
  Result<std::int64_t> now_ms = co_await server_time_ms(view, clock);
  if (!now_ms) co_return now_ms.error();
  const std::int64_t now = *now_ms;
  co_return co_await find_left_overs(view, now);
}

awaitable<Result<int>> ZooKeeperDirectory::clean() {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  const std::shared_ptr<runtime::Clock> clock = backend_.options().clock;
  Result<std::int64_t> now_ms = co_await server_time_ms(view, clock);
  if (!now_ms) co_return now_ms.error();
  const std::int64_t now = *now_ms;
  Result<int> places = co_await remove_broken_places(view, now);
  if (!places) co_return places;
  Result<int> nodes = co_await remove_left_overs(view, now);
  if (!nodes) co_return nodes;
  co_return *places + *nodes;
}

awaitable<Result<std::optional<int>>> ZooKeeperDirectory::prepare(
    std::vector<core::Resource> resources, std::chrono::system_clock::time_point until) {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  const std::int64_t until_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(until.time_since_epoch()).count();
  Result<int> made = co_await prepare_directories(view, resources, until_ms);
  if (!made) co_return made.error();
  co_return std::optional<int>(*made);
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

awaitable<Result<void>> ZooKeeperDirectory::forget(std::string key) {
  Result<ViewPtr> opened = co_await backend_.view();
  if (!opened) co_return opened.error();
  const ViewPtr view = *opened;
  Flight<void> remove = view->handle->remove(view->tree.record(key));
  const Result<void> removed = co_await remove.answer();
  if (!removed && removed.error().errc != Errc::not_found) co_return removed;
  co_return Result<void>();
}

}  // namespace locker::backends::zookeeper
