#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "faults.h"
#include "truth.h"

namespace locker::simulation {

struct Verdict {
  std::string violation;  // empty: nothing was wrong
  std::string scenario;
  std::uint64_t print = 0;  // of everything that happened: the same for the same seed
};

// One seed, one run: some clients do what a plan says, in a world of faults, which ends; then all
// comes to rest. An empty scenario: the seed chooses.
Verdict run_one(std::uint64_t seed, const std::string& scenario, Tally& tally,
                const std::function<void(const std::string&)>& trace = {});

}  // namespace locker::simulation
