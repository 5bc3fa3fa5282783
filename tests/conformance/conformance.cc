#include "tests/conformance/conformance.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

std::vector<Check> gather() {
  std::vector<Check> all;
  for (const std::span<const Check> topic :
       {exclusion_checks(), order_checks(), hierarchy_checks(), name_checks(), set_checks(),
        large_set_checks(), token_checks(), owner_checks(), upgrade_checks(), waiting_checks(),
        crowd_checks(), deadlock_checks(), release_checks(), listing_checks(), column_checks(),
        record_checks(), loss_checks(), mixed_checks()}) {
    all.insert(all.end(), topic.begin(), topic.end());
  }
  return all;
}

// The failures of one body, and whether the backend refused something as unsupported.
std::pair<std::vector<std::string>, bool> failures_of(const Check& check,
                                                      const Settings& settings) {
  Bench bench(settings);
  try {
    check.body(bench);
    bench.clean_up();
  } catch (const Abandoned&) {
    // The reason is among the failures.
  } catch (const std::exception& error) {
    bench.expect(false, std::string("the check threw: ") + error.what());
  }
  return {bench.failures(), bench.unsupported()};
}

}  // namespace

std::string_view name_of(Needs needs) {
  switch (needs) {
    case Needs::exclusion:
      return "exclusion";
    case Needs::order:
      return "order";
    case Needs::shared:
      return "shared";
    case Needs::hierarchy:
      return "hierarchy";
    case Needs::sets:
      return "sets";
  }
  std::abort();
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::failed:
      return "failed";
    case Verdict::not_promised:
      return "not promised";
  }
  std::abort();
}

std::span<const Check> checks() {
  static const std::vector<Check> all = gather();
  return all;
}

Settings settings_for(std::string url) {
  Settings settings;
  settings.url = std::move(url);
  if (const char* text = std::getenv("LOCKER_TEST_SLOW"); text != nullptr) {
    const double factor = std::strtod(text, nullptr);
    if (factor > 0) settings.slow = factor;
  }
  return settings;
}

Outcome run(const Check& check, const Settings& settings) {
  Outcome outcome;
  if (std::ranges::find(settings.without, check.needs) != settings.without.end()) {
    outcome.verdict = Verdict::not_promised;
    return outcome;
  }
  const auto start = std::chrono::steady_clock::now();
  auto [failures, unsupported] = failures_of(check, settings);
  outcome.took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  const bool excused = unsupported && check.needs != Needs::exclusion;
  if (!failures.empty()) outcome.verdict = excused ? Verdict::not_promised : Verdict::failed;
  outcome.failures = std::move(failures);
  return outcome;
}

}  // namespace locker::conformance
