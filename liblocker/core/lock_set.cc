#include "core/lock_set.h"

#include <algorithm>
#include <map>
#include <string>

namespace locker::core {
namespace {

using ModeByPath = std::map<std::string, LockMode>;

LockMode stronger(LockMode left, LockMode right) {
  return at_least(left, right) ? left : right;
}

void add(ModeByPath& modes, const Place& place) {
  const auto [entry, is_new] = modes.try_emplace(place.resource.path(), place.mode);
  if (!is_new) entry->second = stronger(entry->second, place.mode);
}

// Whether something above `place` gives everything that it would give.
bool is_covered(const ModeByPath& modes, const Place& place) {
  return std::ranges::any_of(place.resource.ancestors(), [&](const Resource& above) {
    const auto entry = modes.find(above.path());
    return entry != modes.end() && at_least(entry->second, place.mode);
  });
}

std::vector<Place> collapse(const ModeByPath& modes) {
  std::vector<Place> places;
  for (const auto& [path, mode] : modes) {
    const Place place{Resource::from_path(path), mode};
    if (!is_covered(modes, place)) places.push_back(place);
  }
  return places;
}

std::size_t cost_of(const std::vector<Place>& places) {
  std::size_t cost = 0;
  for (const Place& place : places) cost += step_cost_bytes(place);
  return cost;
}

// All of a table's members, and the place that would stand for them.
struct TableGroup {
  std::size_t cost = 0;
  Place whole;

  std::size_t saved() const {
    const std::size_t remains = step_cost_bytes(whole);
    return cost > remains ? cost - remains : 0;
  }
};

std::vector<TableGroup> group_by_table(const std::vector<Place>& places) {
  std::map<std::string, TableGroup> groups;
  for (const Place& place : places) {
    const Resource table = place.resource.table();
    if (table.empty()) continue;
    const auto [entry, is_new] =
        groups.try_emplace(table.path(), TableGroup{0, Place{table, place.mode}});
    TableGroup& group = entry->second;
    group.cost += step_cost_bytes(place);
    if (!is_new) group.whole.mode = stronger(group.whole.mode, place.mode);
  }
  std::vector<TableGroup> costly;
  for (const auto& [path, group] : groups) {
    if (group.saved() > 0) costly.push_back(group);
  }
  std::ranges::stable_sort(costly, std::ranges::greater(), &TableGroup::cost);
  return costly;
}

}  // namespace

std::size_t step_cost_bytes(const Place& place) {
  // A node's name, its access list and framing; twice, since what has something below it gets a
  // companion. The path counts a third time for its line in the data.
  constexpr std::size_t node_bytes = 160;
  return 3 * place.resource.path().size() + 2 * node_bytes;
}

Result<PreparedSet> prepare_set(std::span<const Place> places, std::size_t limit_bytes) {
  if (places.empty()) {
    return make_error(Errc::invalid, "The set of resources is empty; name at least one.");
  }
  ModeByPath modes;
  for (const Place& place : places) {
    if (place.resource.empty()) {
      return make_error(Errc::invalid, "bad_spec",
                        "A member of the set names no resource; name a database at least.");
    }
    add(modes, place);
  }
  PreparedSet prepared{collapse(modes), false};
  std::size_t cost = cost_of(prepared.places);
  if (cost <= limit_bytes) return prepared;

  prepared.escalated = true;
  for (const TableGroup& group : group_by_table(prepared.places)) {
    std::erase_if(prepared.places,
                  [&](const Place& place) { return group.whole.resource.covers(place.resource); });
    prepared.places.push_back(group.whole);
    cost -= group.saved();
    if (cost <= limit_bytes) {
      std::ranges::sort(prepared.places);
      return prepared;
    }
  }
  return make_error(Errc::too_large,
                    "The set of " + std::to_string(places.size()) +
                        " resources is too large for one step even with whole tables locked; "
                        "lock a database, or fewer resources at once.");
}

}  // namespace locker::core
