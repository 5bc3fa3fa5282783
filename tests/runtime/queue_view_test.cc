#include "runtime/queue_view.h"

#include <string>
#include <vector>

#include "tests/support/test.h"

using namespace locker;
using namespace locker::runtime;

namespace {

StandingTicket ticket(const std::string& request, const std::string& path, LockMode mode,
                      std::uint64_t position) {
  StandingTicket one;
  one.ticket = {request + path,
                request,
                "owner-" + request,
                {core::Resource::from_path(path), mode},
                position};
  one.token = {position, 0};
  return one;
}

constexpr LockMode exclusive = LockMode::exclusive;
constexpr LockMode shared = LockMode::shared;

}  // namespace

TEST_CASE("L39: the view is in queue order, and says who holds and who waits for whom") {
  const std::vector<Contender> view = queue_view({
      ticket("c", "/ods/t/dt=1", exclusive, 3),
      ticket("a", "/ods/t/dt=1", shared, 1),
      ticket("b", "/ods/t/dt=1", shared, 2),
      ticket("d", "/ods/t", shared, 4),
      ticket("e", "/ods/t/dt=2", exclusive, 5),
  });
  REQUIRE(view.size() == 5);
  CHECK(view[0].request == "a");
  CHECK(view[0].holds);
  CHECK(view[1].holds);
  CHECK_FALSE(view[2].holds);
  CHECK(view[2].blocked_by == std::vector<std::string>{"a", "b"});
  CHECK(view[3].blocked_by == std::vector<std::string>{"c"});
  CHECK(view[4].blocked_by == std::vector<std::string>{"d"});
}

TEST_CASE("a table whose name continues another's is no part of it") {
  const std::vector<Contender> view = queue_view({
      ticket("a", "/ods/t", exclusive, 1),
      ticket("b", "/ods/t_1/dt=1", exclusive, 2),
      ticket("c", "/ods/t/dt=1", exclusive, 3),
  });
  CHECK(view[1].holds);
  CHECK(view[2].blocked_by == std::vector<std::string>{"a"});
}

TEST_CASE("a set waits as a whole") {
  const std::vector<Contender> view = queue_view({
      ticket("a", "/ods/t/dt=1", exclusive, 1),
      ticket("set", "/ods/t/dt=1", exclusive, 2),
      ticket("set", "/ods/t/dt=2", exclusive, 2),
      ticket("b", "/ods/t/dt=2", exclusive, 3),
  });
  CHECK_FALSE(view[2].holds);
  CHECK(view[2].blocked_by == std::vector<std::string>{"a"});
  CHECK(view[3].blocked_by == std::vector<std::string>{"set"});
}

TEST_CASE("the status of a waiter counts the requests ahead and shows those that hold") {
  const std::vector<StandingTicket> look{ticket("a", "/ods/t/dt=1", exclusive, 1),
                                         ticket("b", "/ods/t/dt=1", exclusive, 2)};
  const WaitStatus status = wait_status({look[0].ticket, look[1].ticket}, look);
  CHECK(status.place == 2);
  REQUIRE(status.holders.size() == 1);
  CHECK(status.holders[0].request == "a");
  CHECK(wait_status({look[1].ticket}, look).holders[0].request == "b");
}
