// What holds for every spec, tried on random ones. A failure prints its seed; LOCKER_TEST_SEED
// repeats it.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <vector>

#include <locker/partition_spec.h>

#include "core/path_codec.h"
#include "core/resource.h"
#include "tests/support/test.h"
#include "tests/unit/random_spec.h"

using locker::PartitionSpec;
using locker::core::Resource;

namespace {

unsigned seed() {
  const char* given = std::getenv("LOCKER_TEST_SEED");
  if (given != nullptr) return static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  return std::random_device()();
}

bool is_prefix(const PartitionSpec& outer, const PartitionSpec& inner) {
  if (outer.database() != inner.database()) return false;
  if (outer.table().empty()) return true;
  if (outer.table() != inner.table() || outer.keys().size() > inner.keys().size()) return false;
  return std::equal(outer.keys().begin(), outer.keys().end(), inner.keys().begin());
}

void check_components(const std::string& path) {
  std::istringstream rest(path.substr(1));
  for (std::string component; std::getline(rest, component, '/');) {
    CHECK_FALSE(component.empty());
    CHECK_FALSE(component.starts_with('.'));
    CHECK(component.size() <= locker::core::component_limit_bytes);
  }
}

}  // namespace

TEST_CASE("L20 L21: random specs keep their identity through text and path") {
  const unsigned used_seed = seed();
  CAPTURE(used_seed);
  tests::RandomSpecs specs(used_seed);
  std::map<std::string, PartitionSpec> by_path;
  std::vector<PartitionSpec> all;
  for (int round = 0; round < 5000; ++round) {
    const PartitionSpec spec = specs.next();
    if (!spec.check()) continue;
    CAPTURE(spec.to_string());
    const auto read = PartitionSpec::parse(spec.to_string());
    REQUIRE(read);
    CHECK(*read == spec);
    const auto [entry, is_new] = by_path.emplace(spec.path(), spec);
    CHECK(entry->second == spec);
    check_components(spec.path());
    const auto from_path = Resource::from_path(spec.path()).spec();
    REQUIRE(from_path);
    CHECK(*from_path == spec);
    all.push_back(spec);
  }
  CHECK(all.size() > 1000);
  CHECK(by_path.size() > 500);
}

TEST_CASE("random specs cover exactly what they are a prefix of") {
  const unsigned used_seed = seed();
  CAPTURE(used_seed);
  tests::RandomSpecs specs(used_seed);
  int covered = 0;
  for (int round = 0; round < 5000; ++round) {
    const PartitionSpec inner = specs.next();
    // An outer one that is related half of the time: the same, cut short.
    PartitionSpec outer = specs.next();
    if (specs.chance(2)) {
      outer = specs.chance(4) ? PartitionSpec(inner.database())
                              : PartitionSpec(inner.database(), inner.table());
      const int count = specs.below(static_cast<int>(inner.keys().size()) + 1);
      for (int index = 0; index < count; ++index) {
        const auto& key = inner.keys()[static_cast<std::size_t>(index)];
        outer.with(key.column, key.value);
      }
    }
    if (!inner.check() || !outer.check()) continue;
    CAPTURE(inner.to_string(), outer.to_string());
    CHECK(outer.covers(inner) == is_prefix(outer, inner));
    CHECK(Resource(outer).covers(Resource(inner)) == outer.covers(inner));
    CHECK(Resource(inner).covers(Resource(outer)) == inner.covers(outer));
    if (outer.covers(inner)) ++covered;
  }
  CHECK(covered > 1000);
}
