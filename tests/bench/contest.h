#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace locker::bench {

// What one run of a scenario came to.
struct Outcome {
  std::int64_t operations = 0;  // cycles of lock and unlock, or locks held
  double seconds = 0;           // from the first operation's begin to the last one's end
};

// How much one run shall do: seconds, or a number of locks where a scenario counts those.
// Nothing if it failed; why was printed on stderr.
using Scenario = std::function<std::optional<Outcome>(double amount)>;

// Prints `{"ready": true}`, then reads amounts from the standard input, one a line, runs the
// scenario for each, and prints one line of JSON for each: operations, seconds, and this process's
// resident memory in bytes. Returns the exit code.
int serve(const Scenario& scenario);

// Says on stderr what failed; for `return complain(…)` in a scenario.
std::nullopt_t complain(const std::string& text);

// Seconds since some moment.
class Stopwatch {
 public:
  double seconds() const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace locker::bench
