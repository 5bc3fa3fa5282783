#include <locker/owner.h>

#include <set>
#include <thread>

#include "core/random_id.h"
#include "tests/support/test.h"

using locker::Owner;

TEST_CASE("random ids are 32 hex digits and never meet") {
  std::set<std::string> ids;
  for (int round = 0; round < 1000; ++round) {
    const std::string id = locker::core::random_id();
    CHECK(id.size() == 32);
    CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(ids.insert(id).second);
  }
}

TEST_CASE("owners differ, and differ from their secrets") {
  const Owner one = Owner::create();
  const Owner other = Owner::create();
  CHECK_FALSE(one == other);
  CHECK(one.id() != one.secret());
  CHECK(one.secret() != other.secret());
  CHECK_FALSE(one.inherited());
}

TEST_CASE("a thread has one owner, its own") {
  const Owner& mine = Owner::this_thread();
  CHECK(&mine == &Owner::this_thread());
  std::string first;
  std::string second;
  std::thread([&] {
    first = Owner::this_thread().id();
    second = Owner::this_thread().id();
  }).join();
  CHECK(first == second);
  CHECK(first != mine.id());
}

TEST_CASE("an owner is handed to a child process as text") {
  const Owner parent = Owner::create();
  const auto child = Owner::parse(parent.to_string());
  REQUIRE(child);
  CHECK(*child == parent);
  CHECK(child->secret() == parent.secret());
  CHECK(child->inherited());
  CHECK(child->to_string() == parent.to_string());
}

TEST_CASE("what is no owner is refused without being shown") {
  const std::string good = Owner::create().to_string();
  const std::string upper = "A" + good.substr(1);
  for (const std::string& bad :
       {std::string(), std::string(":"), good.substr(1), good + "0", good.substr(0, 32), upper,
        good.substr(0, 32) + "-" + good.substr(33), std::string(65, '0'),
        good.substr(0, 64) + "\n"}) {
    const auto owner = Owner::parse(bad);
    REQUIRE_FALSE(owner);
    CHECK(owner.error().code == "bad_owner");
    CHECK(owner.error().message.find(good.substr(33, 30)) == std::string::npos);
  }
}
