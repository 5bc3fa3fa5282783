#include "backends/zookeeper/tree.h"

#include "tests/support/test.h"

namespace {

using namespace locker;
using namespace locker::backends::zookeeper;

const std::string request(32, 'a');
const std::string owner(32, 'b');

TEST_CASE("a tree keeps everything below its root") {
  const Tree tree("/lake");
  const core::Resource partition = core::Resource::from_path("/ods/t/dt=1");
  CHECK(tree.root() == "/lake/hive_locks");
  CHECK(tree.directory(partition) == "/lake/hive_locks/ods/t/dt=1");
  CHECK(tree.coarse(partition) == "/lake/hive_locks/ods/t/dt=1/.coarse");
  CHECK(tree.owner("0100") == "/lake/hive_locks/.owners/0100");
  CHECK(tree.wait(owner, request) == "/lake/hive_locks/.waits/" + owner + "." + request);
  CHECK(Tree("").root() == "/hive_locks");
}

TEST_CASE("a record's node is named by a hash of any key") {
  const Tree tree("");
  CHECK(tree.record("once:a/b") != tree.record("once:a%2Fb"));
  CHECK(tree.record("k").size() == tree.records().size() + 1 + 32);
}

TEST_CASE("a lock's name tells mode, request, owner and sequence") {
  const std::string child = lock_prefix(LockMode::shared, request, owner) + "0000000042";
  const auto name = read_lock_name(child);
  REQUIRE(name.has_value());
  CHECK(name->mode == LockMode::shared);
  CHECK(name->request == request);
  CHECK(name->owner == owner);
  CHECK(name->sequence == 42);
  CHECK_FALSE(name->foreign);
}

TEST_CASE("a companion's name tells the same without a sequence") {
  const std::string child = companion_name(LockMode::exclusive, request, owner);
  const auto name = read_companion_name(child);
  REQUIRE(name.has_value());
  CHECK(name->mode == LockMode::exclusive);
  CHECK(name->request == request);
  CHECK_FALSE(read_companion_name(lock_prefix(LockMode::exclusive, request, owner)).has_value());
}

TEST_CASE("the nodes of other clients are exclusive unless they say that they read") {
  struct Foreign {
    std::string child;
    LockMode mode;
    int sequence;
  };
  const std::vector<Foreign> nodes = {
      {"_c_0a1b2c3d-0000-4000-8000-000000000000-lock-0000000007", LockMode::exclusive, 7},
      {"0a1b2c3d__lock__0000000003", LockMode::exclusive, 3},
      {"0a1b2c3d__rlock__0000000004", LockMode::shared, 4},
      {"_c_0a1b__WRIT__0000000005", LockMode::exclusive, 5},
      {"_c_0a1b__READ__0000000006", LockMode::shared, 6},
      {"lock--2147483648", LockMode::exclusive, -2147483647 - 1},
  };
  for (const Foreign& node : nodes) {
    INFO(node.child);
    const auto name = read_lock_name(node.child);
    REQUIRE(name.has_value());
    CHECK(name->foreign);
    CHECK(name->mode == node.mode);
    CHECK(name->sequence == node.sequence);
    CHECK(name->request == node.child);
  }
}

TEST_CASE("directories and other children are no locks") {
  for (const std::string child :
       {"dt=1", "v=lock_x_1-lock-0000000001", "v=a__lock__0000000003", ".coarse", ".registered",
        "t", "lock-", "lock-00000000x1", "0000000001"}) {
    INFO(child);
    CHECK_FALSE(read_lock_name(child).has_value());
  }
}

TEST_CASE("a child is a resource by its depth") {
  CHECK(is_resource_name("ods", 1));
  CHECK(is_resource_name("user_info", 2));
  CHECK(is_resource_name("dt=1", 3));
  CHECK_FALSE(is_resource_name("dt", 3));
  CHECK_FALSE(is_resource_name(".owners", 1));
  CHECK_FALSE(is_resource_name("dt=a/b", 3));
}

TEST_CASE("a session is named by sixteen digits") {
  CHECK(session_name(0x0100001f4d380000) == "0100001f4d380000");
  CHECK(session_name(1) == "0000000000000001");
  CHECK(session_name(-1) == "ffffffffffffffff");
}

}  // namespace
