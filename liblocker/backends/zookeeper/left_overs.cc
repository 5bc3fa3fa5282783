#include "backends/zookeeper/left_overs.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace locker::backends::zookeeper {

using runtime::awaitable;

namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr std::chrono::minutes old_enough{5};
constexpr std::chrono::hours mark_kept_for{24};

struct Remains {
  std::string path;
  std::int32_t version = 0;
  LeftOver told;
};
using Paths = std::vector<std::string>;

// The directories of queues, those that are farther down first: what is below a directory goes
// before it.
awaitable<Result<std::vector<Paths>>> directories(ViewPtr view) {
  const auto found = std::make_shared<std::vector<core::Resource>>();
  const core::Resource everywhere;
  Result<FoundNodes> walked = co_await walk_below(view, everywhere, found);
  if (!walked) co_return walked.error();
  std::map<int, std::pair<Paths, Paths>, std::greater<>> by_depth;
  for (const core::Resource& resource : *found) {
    auto& [coarse, own] = by_depth[resource.depth()];
    coarse.push_back(view->tree.coarse(resource));
    own.push_back(view->tree.directory(resource));
  }
  std::vector<Paths> levels;
  for (auto& [depth, both] : by_depth) {
    levels.push_back(std::move(both.first));
    levels.push_back(std::move(both.second));
  }
  co_return levels;
}

std::string what_remains(const View& view, const std::string& path, const NodeData& node,
                         std::int64_t now_ms) {
  const milliseconds age(now_ms - node.stat.modified_ms);
  if (path.starts_with(view.tree.all_broken() + "/")) {
    return age > mark_kept_for ? "the mark of a break" : "";
  }
  if (node.stat.children != 0) return "";
  if (node.data.empty()) return age > old_enough ? "an empty directory" : "";
  const std::optional<WallMs> until_ms = prepared_until(node.data);
  return until_ms && *until_ms < now_ms ? "a prepared partition whose time is over" : "";
}

awaitable<Result<std::vector<Remains>>> remains_of(ViewPtr view, Paths paths, std::int64_t now_ms) {
  Result<std::vector<std::optional<NodeData>>> nodes = co_await data_of(view, paths);
  if (!nodes) co_return nodes.error();
  std::vector<Remains> remains;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::optional<NodeData>& node = (*nodes)[i];
    if (!node) continue;
    std::string what = what_remains(*view, paths[i], *node, now_ms);
    if (what.empty()) continue;
    const system_clock::time_point since{milliseconds(node->stat.created_ms)};
    remains.push_back({paths[i], node->stat.version, {paths[i], std::move(what), since}});
  }
  co_return remains;
}

awaitable<Result<Paths>> marks_of_breaks(ViewPtr view) {
  Flight<Children> list = view->handle->children(view->tree.all_broken());
  Result<Children> names = co_await list.answer();
  if (!names) co_return names.error();
  for (std::string& name : *names) name = view->tree.broken(name);
  co_return names;
}

awaitable<Result<std::vector<Paths>>> everything_that_may_be_left(ViewPtr view) {
  Result<std::vector<Paths>> levels = co_await directories(view);
  if (!levels) co_return levels.error();
  Result<Paths> marks = co_await marks_of_breaks(view);
  if (!marks) co_return marks.error();
  levels->push_back(*std::move(marks));
  co_return levels;
}

// Whoever changed a node meanwhile, or made something in it, keeps it.
awaitable<int> remove_unchanged(ViewPtr view, std::vector<Remains> remains) {
  std::deque<Flight<void>> flights;
  std::size_t sent = 0;
  int removed = 0;
  for (std::size_t landed = 0; landed < remains.size(); ++landed) {
    while (sent < remains.size() && flights.size() < read_window) {
      flights.push_back(view->handle->remove(remains[sent].path, remains[sent].version));
      ++sent;
    }
    Flight<void> next = std::move(flights.front());
    flights.pop_front();
    const Result<void> gone = co_await next.answer();
    if (gone) ++removed;
  }
  co_return removed;
}

}  // namespace

awaitable<Result<std::vector<LeftOver>>> find_left_overs(ViewPtr view, std::int64_t now_ms) {
  Result<std::vector<Paths>> levels = co_await everything_that_may_be_left(view);
  if (!levels) co_return levels.error();
  std::vector<LeftOver> left;
  for (const Paths& paths : *levels) {
    Result<std::vector<Remains>> remains = co_await remains_of(view, paths, now_ms);
    if (!remains) co_return remains.error();
    for (Remains& one : *remains) left.push_back(std::move(one.told));
  }
  co_return left;
}

awaitable<Result<int>> remove_left_overs(ViewPtr view, std::int64_t now_ms) {
  Result<std::vector<Paths>> levels = co_await everything_that_may_be_left(view);
  if (!levels) co_return levels.error();
  int removed = 0;
  for (const Paths& paths : *levels) {
    Result<std::vector<Remains>> remains = co_await remains_of(view, paths, now_ms);
    if (!remains) co_return remains.error();
    const std::vector<Remains> level = *std::move(remains);
    const int gone = co_await remove_unchanged(view, level);
    removed += gone;
  }
  co_return removed;
}

}  // namespace locker::backends::zookeeper
