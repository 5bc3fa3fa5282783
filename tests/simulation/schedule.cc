#include "schedule.h"

#include <algorithm>
#include <utility>

namespace locker::simulation {

bool Schedule::later(const Entry& left, const Entry& right) {
  return left.at != right.at ? left.at > right.at : left.order > right.order;
}

void Schedule::at(Time at, std::function<void()> action) {
  heap_.push_back({std::max(at, now_), order_++, std::move(action)});
  std::ranges::push_heap(heap_, later);
}

void Schedule::step() {
  std::ranges::pop_heap(heap_, later);
  Entry entry = std::move(heap_.back());
  heap_.pop_back();
  now_ = entry.at;
  entry.action();
}

}  // namespace locker::simulation
