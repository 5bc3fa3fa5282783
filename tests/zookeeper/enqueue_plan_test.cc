#include "backends/zookeeper/enqueue_plan.h"

#include <algorithm>

#include "tests/support/test.h"

namespace {

using namespace locker;
using namespace locker::backends::zookeeper;

core::Place place(const std::string& path, LockMode mode = LockMode::exclusive) {
  return {core::Resource::from_path(path), mode};
}

// A request that relies on the order (dt, city), or on what else is told, of the table ods.t.
runtime::RequestPtr request(std::vector<core::Place> places, bool owner_holds = false,
                            std::vector<std::string> columns = {"dt", "city"}) {
  auto made = std::make_shared<runtime::Request>();
  made->id = std::string(32, 'a');
  made->owner.owner = std::string(32, 'b');
  made->owner.reason = "why";
  made->proof = "proof";
  made->places = std::move(places);
  made->owner_holds = owner_holds;
  if (!columns.empty()) {
    TableColumns order;
    order.table = PartitionSpec("ods", "t");
    order.columns = std::move(columns);
    made->columns.push_back(order);
  }
  return made;
}

KnownOrders orders(std::vector<std::string> columns, std::vector<int> earlier_depths = {}) {
  TableText text;
  text.columns = std::move(columns);
  text.earlier_depths = std::move(earlier_depths);
  return {{"/ods/t", text}};
}

TEST_CASE("a partition with every column is one node, and looks at what is above") {
  const EnqueuePlan plan = plan_of(*request({place("/ods/t/dt=1")}, false, {"dt"}), {});
  CHECK(plan.in_one_node);
  CHECK_FALSE(plan.any_coarse());
  REQUIRE(plan.above.size() == 2);
  CHECK(plan.above[0].path() == "/ods");
  CHECK(plan.above[1].path() == "/ods/t");
  CHECK(plan.unpaired.empty());
}

TEST_CASE("whatever can have something below it gets a companion") {
  for (const std::string path : {"/ods", "/ods/t", "/ods/t/dt=1"}) {
    INFO(path);
    const EnqueuePlan plan = plan_of(*request({place(path)}), {});
    CHECK(plan.any_coarse());
    CHECK_FALSE(plan.in_one_node);
  }
  // What the session knows of a shorter order says nothing: the request's flight checks its own.
  CHECK(plan_of(*request({place("/ods/t/dt=1")}), orders({"dt"})).any_coarse());
}

TEST_CASE("a table that got further columns is looked at where locks lack companions") {
  const EnqueuePlan plan =
      plan_of(*request({place("/ods/t/dt=1/city=x")}), orders({"dt", "city"}, {1}));
  CHECK(plan.depths == std::vector<std::vector<int>>{{1}});
  REQUIRE(plan.unpaired.size() == 1);
  CHECK(plan.unpaired[0].path() == "/ods/t/dt=1");
}

TEST_CASE("an owner that holds something enters itself among the waits, in the same step") {
  const auto made = request({place("/ods/t/dt=1")}, true, {"dt"});
  const EnqueuePlan plan = plan_of(*made, {});
  CHECK_FALSE(plan.in_one_node);
  const Tree tree("");
  const Enqueued mine = unplaced(tree, made, plan);
  const SetOperation heartbeat{tree.owner("s"), "beat", -1};
  const std::vector<Operation> step = enqueue_operations(mine, heartbeat);
  REQUIRE(step.size() == 3);
  CHECK(std::get<SetOperation>(step[0]).path == tree.owner("s"));
  CHECK(std::get<CreateOperation>(step[1]).kind == NodeKind::ephemeral_sequential);
  CHECK(std::get<CreateOperation>(step[2]).path == tree.wait(made->owner.owner, made->id));
}

TEST_CASE("a set is one step, and its first node lists the members") {
  const auto made =
      request({place("/ods/t/dt=1"), place("/ods/u", LockMode::shared)}, false, {"dt"});
  const EnqueuePlan plan = plan_of(*made, {});
  CHECK(plan.coarse == std::vector<bool>{false, true});
  const Tree tree("");
  const Enqueued mine = unplaced(tree, made, plan);
  REQUIRE(mine.nodes.size() == 2);
  REQUIRE(mine.companions.size() == 1);
  const LockText first = lock_text(lock_json(mine, 0));
  CHECK(first.members == made->places);
  CHECK(first.reason == "why");
  CHECK(first.first.empty());
  const LockText second = lock_text(lock_json(mine, 1));
  CHECK(second.members.empty());
  CHECK(second.first == "/ods/t/dt=1");
  CHECK(second.proof == "proof");
  const std::vector<std::string> paths = mine.all_paths();
  CHECK(paths.size() == 3);
  CHECK(std::ranges::find(paths, mine.companions[0]) != paths.end());
}

TEST_CASE("a lowered or given lock says so in its nodes") {
  const auto made = request({place("/ods/t"), place("/ods/u", LockMode::shared)});
  const EnqueuePlan plan = plan_of(*made, {});
  Enqueued mine = unplaced(Tree(""), made, plan);
  mine.lowered = true;
  mine.owner = std::string(32, 'c');
  CHECK(lock_text(lock_json(mine, 0)).lowered);
  CHECK_FALSE(lock_text(lock_json(mine, 1)).lowered);
  CHECK(lock_text(lock_json(mine, 0)).owner == mine.owner);
  CHECK(joined_of(mine).tickets.front().place.mode == LockMode::shared);
  CHECK(joined_of(mine).tickets.front().owner == mine.owner);
}

}  // namespace
