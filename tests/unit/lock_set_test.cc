#include "core/lock_set.h"

#include <algorithm>
#include <random>

#include "tests/support/test.h"

using namespace locker::core;
using locker::LockMode;

namespace {

constexpr LockMode x = LockMode::exclusive;
constexpr LockMode s = LockMode::shared;

Place place(std::string path, LockMode mode) {
  return {Resource::from_path(std::move(path)), mode};
}

std::vector<Place> prepared(const std::vector<Place>& places) {
  const auto set = prepare_set(places);
  REQUIRE(set);
  CHECK_FALSE(set->escalated);
  return set->places;
}

std::size_t cost(const std::vector<Place>& places) {
  std::size_t sum = 0;
  for (const Place& member : places) sum += step_cost_bytes(member);
  return sum;
}

}  // namespace

TEST_CASE("L23: a set is the same in whatever order it is named") {
  std::vector<Place> places = {place("/o/t/p=1", x), place("/o/t/p=2", s), place("/o/t/p=3", x),
                               place("/o/u", s), place("/o/t/p=2", x)};
  const std::vector<Place> expected = prepared(places);
  CHECK(std::ranges::is_sorted(expected));
  std::mt19937 random(23);
  for (int round = 0; round < 100; ++round) {
    std::ranges::shuffle(places, random);
    CHECK(prepared(places) == expected);
  }
}

TEST_CASE("equal resources become one in the stronger mode") {
  CHECK(prepared({place("/o/t", s), place("/o/t", x), place("/o/t", s)}) ==
        std::vector{place("/o/t", x)});
  CHECK(prepared({place("/o/t", s), place("/o/t", s)}) == std::vector{place("/o/t", s)});
}

TEST_CASE("a member collapses only into a covering one of the same or a stronger mode") {
  CHECK(prepared({place("/o/t", x), place("/o/t/p=1", x)}) == std::vector{place("/o/t", x)});
  CHECK(prepared({place("/o/t", x), place("/o/t/p=1", s)}) == std::vector{place("/o/t", x)});
  CHECK(prepared({place("/o/t", s), place("/o/t/p=1", s)}) == std::vector{place("/o/t", s)});
  CHECK(prepared({place("/o/t", s), place("/o/t/p=1", x)}) ==
        std::vector{place("/o/t", s), place("/o/t/p=1", x)});
  CHECK(prepared({place("/o", x), place("/o/t", s), place("/o/t/p=1", x)}) ==
        std::vector{place("/o", x)});
  CHECK(prepared({place("/o", s), place("/o/t", x), place("/o/t/p=1", x), place("/o/u", s)}) ==
        std::vector{place("/o", s), place("/o/t", x)});
  // What looks alike is not above.
  CHECK(prepared({place("/o/t", x), place("/o/t_1", x)}).size() == 2);
}

TEST_CASE("an empty set, or a member without a resource, is an error") {
  CHECK(prepare_set({}).error().errc == locker::Errc::invalid);
  const std::vector<Place> unnamed = {Place{}};
  CHECK(prepare_set(unnamed).error().code == "bad_spec");
}

TEST_CASE("a set over the limit escalates the most costly table first") {
  std::vector<Place> places = {place("/o/small/p=1", s), place("/o/small/p=2", s)};
  for (int index = 0; index < 9; ++index) {
    places.push_back(place("/o/big/p=" + std::to_string(index), index == 4 ? x : s));
  }
  const std::size_t whole = cost(places);
  CHECK_FALSE(prepare_set(places, whole)->escalated);

  const auto one_table = prepare_set(places, whole - 1);
  REQUIRE(one_table);
  CHECK(one_table->escalated);
  CHECK(one_table->places ==
        std::vector{place("/o/big", x), place("/o/small/p=1", s), place("/o/small/p=2", s)});
  CHECK(cost(one_table->places) < whole);

  const auto both = prepare_set(places, cost(one_table->places) - 1);
  REQUIRE(both);
  CHECK(both->places == std::vector{place("/o/big", x), place("/o/small", s)});

  const auto too_large = prepare_set(places, cost(both->places) - 1);
  REQUIRE_FALSE(too_large);
  CHECK(too_large.error().errc == locker::Errc::too_large);
}

TEST_CASE("escalation takes the strongest mode, and the table's own member with it") {
  std::vector<Place> places = {place("/o", s), place("/o/t", s)};
  for (int index = 0; index < 5; ++index) {
    places.push_back(place("/o/t/p=" + std::to_string(index), x));
  }
  const auto set = prepare_set(places, cost({place("/o", s), place("/o/t", x)}));
  REQUIRE(set);
  CHECK(set->places == std::vector{place("/o", s), place("/o/t", x)});
}

TEST_CASE("nothing escalates above a table") {
  std::vector<Place> places;
  for (int index = 0; index < 2000; ++index) {
    places.push_back(place("/o/t" + std::to_string(index), x));
  }
  CHECK(prepare_set(places, 100'000).error().errc == locker::Errc::too_large);
  CHECK(prepare_set(places, 1).error().errc == locker::Errc::too_large);
}

TEST_CASE("random sets give every member what it asked for, and no more than once") {
  std::mt19937 random(512);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Place> places;
    for (std::uint32_t count = 1 + random() % 8; count > 0; --count) {
      std::string path = "/d" + std::to_string(random() % 2);
      if (random() % 5 != 0) path += "/t" + std::to_string(random() % 2);
      if (path.size() > 3 && random() % 3 != 0) path += "/p=" + std::to_string(random() % 3);
      places.push_back(place(path, random() % 2 == 0 ? x : s));
    }
    const std::size_t limit = 600 + random() % 3000;
    const auto set = prepare_set(places, limit);
    if (!set) continue;
    CHECK(cost(set->places) <= limit);
    const auto gives = [](const Place& got, const Place& asked) {
      return got.resource.covers(asked.resource) && at_least(got.mode, asked.mode);
    };
    for (const Place& asked : places) {
      CHECK(std::ranges::any_of(set->places, [&](const Place& got) { return gives(got, asked); }));
    }
    for (const Place& got : set->places) {
      CHECK(std::ranges::count_if(set->places,
                                  [&](const Place& other) { return gives(other, got); }) == 1);
    }
  }
}
