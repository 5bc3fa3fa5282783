#include "faults.h"

#include <vector>

namespace locker::simulation {

Faults Faults::draw(Random& random) {
  const auto level = [&](double low, double high) {
    const auto kind = random.below(4);
    return kind <= 1 ? 0.0 : kind == 2 ? low : high;
  };
  Faults faults;
  faults.timeout = random.pick<Time>({2000, 6000, 6000, 30000}) * millisecond;
  faults.latency = random.pick<Time>({1, 5, 20}) * millisecond;
  faults.ping_gap = faults.timeout / random.pick<Time>({4, 4, 8});
  faults.slow_message = level(0.02, 0.1);
  faults.stuck_message = level(0.001, 0.01);
  faults.slow_apply = level(0.05, 0.3);
  faults.lost_before = level(0.01, 0.1);
  faults.lost_after = level(0.01, 0.1);
  faults.broken_link = level(0.005, 0.03);
  faults.dies_after_write = level(0.01, 0.1);
  faults.pause_at_step = level(0.001, 0.01);
  faults.late_watch = level(0.05, 0.5);
  faults.odd_watch = level(0.05, 0.3);
  faults.between_disasters = random.chance(0.3) ? 0 : faults.timeout / random.pick<Time>({1, 2, 4});
  return faults;
}

Faults Faults::healed() const {
  Faults faults;
  faults.timeout = timeout;
  faults.latency = millisecond;
  faults.ping_gap = ping_gap;
  return faults;
}

Time Faults::message(Random& random) const {
  if (random.chance(stuck_message)) return random.between(0, timeout + timeout / 5);
  if (random.chance(slow_message)) return random.between(0, 1000 * millisecond);
  return random.between(latency / 10, 2 * latency);
}

}  // namespace locker::simulation
