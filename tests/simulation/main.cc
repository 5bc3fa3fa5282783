#include <charconv>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "run.h"

// The seeded simulation: the library's own recipe, as users run it, over a model of a coordinator
// in a world of faults. One seed is one run.
//
//   simulation [--from N] [--schedules N] [--scenario NAME] [--trace] [--twice] [--partial]
//
// --trace tells what happened in each run; --twice does each twice and compares; --partial allows
// that some kind of fault or answer never occurred, for a few schedules.

namespace {

using locker::simulation::run_one;
using locker::simulation::Tally;
using locker::simulation::Verdict;

struct Settings {
  std::uint64_t from = 1;
  std::uint64_t schedules = 20'000;
  std::string scenario;
  bool trace = false;
  bool twice = false;
  bool partial = false;
  bool sound = true;
};

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Settings read(int count, char** words) {
  Settings settings;
  for (int index = 1; index < count; ++index) {
    const std::string_view word = words[index];
    const std::string_view next = index + 1 < count ? words[index + 1] : "";
    if (word == "--trace") {
      settings.trace = true;
    } else if (word == "--twice") {
      settings.twice = true;
    } else if (word == "--partial") {
      settings.partial = true;
    } else if (word == "--scenario") {
      settings.scenario = next;
      ++index;
    } else if (word == "--from" || word == "--seed") {
      settings.sound = settings.sound && read_number(next, settings.from);
      if (word == "--seed") settings.schedules = 1;
      ++index;
    } else if (word == "--schedules") {
      settings.sound = settings.sound && read_number(next, settings.schedules);
      ++index;
    } else {
      settings.sound = false;
    }
  }
  return settings;
}

void print_line(const std::string& line) {
  std::printf("%s\n", line.c_str());
}

int report(const Tally& tally, const std::map<std::string, long>& mix, bool partial) {
  for (const auto& [scenario, runs] : mix) std::printf("  %8ld %s\n", runs, scenario.c_str());
  bool met_everything = true;
  for (const auto& [name, count] : tally.rows()) {
    std::printf("  %8ld %.*s\n", count, static_cast<int>(name.size()), name.data());
    met_everything = met_everything && count > 0;
  }
  if (met_everything || partial) return 0;
  std::printf("FAILED: something above never happened, so nothing was tested by it\n");
  return 1;
}

}  // namespace

int main(int count, char** words) {
  const Settings settings = read(count, words);
  if (!settings.sound) {
    std::fprintf(stderr,
                 "usage: simulation [--from N | --seed N] [--schedules N] "
                 "[--scenario NAME] [--trace] [--twice] [--partial]\n");
    return 64;
  }
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(settings.from),
              static_cast<unsigned long long>(settings.from + settings.schedules - 1));
  Tally tally;
  std::map<std::string, long> mix;
  for (std::uint64_t seed = settings.from; seed < settings.from + settings.schedules; ++seed) {
    Verdict verdict = settings.trace ? run_one(seed, settings.scenario, tally, print_line)
                                     : run_one(seed, settings.scenario, tally);
    if (settings.twice && verdict.violation.empty()) {
      Tally unused;
      const Verdict again = run_one(seed, settings.scenario, unused);
      if (again.print != verdict.print) verdict.violation = "repeat: a second run was another one";
    }
    ++mix[verdict.scenario];
    if (verdict.violation.empty()) continue;
    std::printf("FAILED: seed %llu (%s), schedule %ld: %s\n", static_cast<unsigned long long>(seed),
                verdict.scenario.c_str(), tally.runs, verdict.violation.c_str());
    if (!settings.trace) {
      Tally unused;
      run_one(seed, settings.scenario, unused, print_line);
    }
    return 1;
  }
  return report(tally, mix, settings.partial);
}
