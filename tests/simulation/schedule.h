#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "random.h"

namespace locker::simulation {

// True time, in microseconds since the run began. No client can read it.
using Time = std::int64_t;

inline constexpr Time millisecond = 1000;

// Everything that will happen, in the order of true time. Time moves when the next thing happens
// and never otherwise.
class Schedule {
 public:
  Time now() const { return now_; }
  bool empty() const { return heap_.empty(); }
  // The moment of the next thing.
  Time next() const { return heap_.front().at; }

  // Does `action` at `at`, or now if that is past. Of two at one moment the earlier call goes
  // first.
  void at(Time at, std::function<void()> action);
  // Does the next thing.
  void step();
  void clear() { heap_.clear(); }

 private:
  struct Entry {
    Time at;
    std::uint64_t order;
    std::function<void()> action;
  };

  static bool later(const Entry& left, const Entry& right);

  Time now_ = 0;
  std::uint64_t order_ = 0;
  std::vector<Entry> heap_;
};

}  // namespace locker::simulation
