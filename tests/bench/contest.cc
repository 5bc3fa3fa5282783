#include "tests/bench/contest.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>

namespace locker::bench {
namespace {

// As top(1) counts it; 0 where it can't be read.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all_pages = 0;
  std::int64_t resident_pages = 0;
  file >> all_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

int serve(const Scenario& scenario) {
  std::puts(R"({"ready": true})");
  std::fflush(stdout);
  double amount = 0;
  while (std::cin >> amount) {
    const std::optional<Outcome> outcome = scenario(amount);
    if (!outcome) return 1;
    std::printf(R"({"operations": %lld, "seconds": %.6f, "resident_bytes": %lld})"
                "\n",
                static_cast<long long>(outcome->operations), outcome->seconds,
                static_cast<long long>(resident_bytes()));
    std::fflush(stdout);
  }
  return 0;
}

std::nullopt_t complain(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return std::nullopt;
}

double Stopwatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

}  // namespace locker::bench
