#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What a lock means, as checks against any backend: plain functions over the public headers alone,
// run by the conformance tests and by `locker verify` on a user's own coordinator.
namespace locker::conformance {

class Bench;

// What a check relies on beyond exclusion and liveness. A backend that does not promise it declares
// so, and the check does not count against it.
enum class Needs { exclusion, order, shared, hierarchy, sets };

// "exclusion", "order", …
std::string_view name_of(Needs needs);

// One check. `ids` are the cases that it covers, separated by spaces; often there are none.
struct Check {
  std::string_view name;
  std::string_view ids;
  Needs needs;
  void (*body)(Bench& bench);
};

// Every check, grouped by topic; the names are unique.
std::span<const Check> checks();

enum class Verdict {
  passed,
  failed,        // `failures` says why
  not_promised,  // the backend answered `unsupported`, or `Settings::without` names the need
};

// "passed", "failed" or "not promised".
std::string_view name_of(Verdict verdict);

struct Outcome {
  Verdict verdict = Verdict::passed;
  std::vector<std::string> failures;  // "file:line: what was expected", in order
  std::chrono::milliseconds took{0};
};

struct Settings {
  std::string url;  // the backend under test
  double slow = 1;  // factor on every liveness bound
  // Asked for by every session; some checks wait for the end of one.
  std::chrono::milliseconds session_timeout = std::chrono::seconds(30);
  std::vector<Needs> without;  // what this backend does not promise
};

// Settings for a URL, with `slow` from LOCKER_TEST_SLOW where that is set.
Settings settings_for(std::string url);

// Runs one check in a database of its own, which it leaves without locks and column orders.
// Never throws; one check at a time in a process.
Outcome run(const Check& check, const Settings& settings);

}  // namespace locker::conformance
