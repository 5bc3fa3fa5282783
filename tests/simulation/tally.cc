#include "tally.h"

#include <cstddef>

namespace locker::simulation {
namespace {

template <typename Counts>
struct Row {
  std::string_view name;
  long Counts::*count;
};

constexpr Row<FaultCount> fault_rows[] = {
    {"steps", &FaultCount::steps},
    {"verbs lost before their effect", &FaultCount::lost_before},
    {"verbs lost after their effect", &FaultCount::lost_after},
    {"broken connections", &FaultCount::broken_links},
    {"deaths of replicas", &FaultCount::replica_deaths},
    {"stalls of replicas", &FaultCount::replica_stalls},
    {"pauses of machines", &FaultCount::pauses},
    {"cuts of machines", &FaultCount::cuts},
    {"broken sessions", &FaultCount::breaks},
    {"removed waiters", &FaultCount::removals},
    {"expired sessions", &FaultCount::expiries},
    {"late watches", &FaultCount::late_watches},
    {"odd watches", &FaultCount::odd_watches},
    {"jumps of wall clocks", &FaultCount::wall_jumps},
    {"crashed clients", &FaultCount::crashes},
};

constexpr Row<Outcomes> outcome_rows[] = {
    {"requests", &Outcomes::asked},
    {"granted", &Outcomes::granted},
    {"granted after a wait", &Outcomes::waited},
    {"granted by count", &Outcomes::counted},
    {"granted by a parent's lock", &Outcomes::borrowed},
    {"timeout", &Outcomes::timeouts},
    {"closed a cycle", &Outcomes::cycles},
    {"deadlock", &Outcomes::deadlocks},
    {"cancelled", &Outcomes::cancelled},
    {"lost while waiting", &Outcomes::lost},
    {"lost while held", &Outcomes::lost_grants},
    {"unavailable", &Outcomes::unavailable},
    {"refused", &Outcomes::refused},
    {"downgraded", &Outcomes::downgrades},
};

}  // namespace

void Tally::add(const FaultCount& faults_met, const Outcomes& outcomes_met) {
  ++runs;
  for (const auto& row : fault_rows) faults.*row.count += faults_met.*row.count;
  for (const auto& row : outcome_rows) outcomes.*row.count += outcomes_met.*row.count;
}

std::vector<std::pair<std::string_view, long>> Tally::rows() const {
  std::vector<std::pair<std::string_view, long>> rows;
  for (const auto& row : fault_rows) rows.emplace_back(row.name, faults.*row.count);
  for (const auto& row : outcome_rows) rows.emplace_back(row.name, outcomes.*row.count);
  return rows;
}

}  // namespace locker::simulation
