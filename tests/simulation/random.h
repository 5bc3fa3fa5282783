#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace locker::simulation {

// Choices from a seed. The distributions are our own, since those of the standard library may give
// other numbers with another library: one seed is one run, everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }
  // A number less than `limit`, which is not zero.
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  // A number from `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  // True with this probability.
  bool chance(double probability) {
    return static_cast<double>(engine_() >> 11U) * 0x1p-53 < probability;
  }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(from.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace locker::simulation
