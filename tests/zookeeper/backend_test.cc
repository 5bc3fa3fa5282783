#include "backends/zookeeper/zookeeper_backend.h"

#include <algorithm>

#include "backends/zookeeper/zookeeper_session.h"
#include "core/random_id.h"
#include "core/turn.h"
#include "runtime/process_info.h"
#include "tests/support/test.h"
#include "tests/zookeeper/support.h"

namespace locker::tests {

using backends::zookeeper::FormatText;
using backends::zookeeper::HandlePtr;
using backends::zookeeper::NodeKind;
using backends::zookeeper::Tree;
using backends::zookeeper::ZooKeeperBackend;
using backends::zookeeper::ZooKeeperOptions;
using runtime::Joined;
using runtime::RequestPtr;
using runtime::SessionPtr;
using runtime::StandingTicket;

namespace {

core::UrlHost server_of(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)));
  return {address.substr(0, colon), port};
}

// A tree of the test's own, and sessions in it.
struct Ensemble {
  explicit Ensemble(std::string chroot_path = "/test-" + core::random_id())
      : chroot(std::move(chroot_path)), tree(chroot), plain(host.connect()) {}
  ~Ensemble() {
    for (const SessionPtr& session : sessions) {
      host.run<void>([session]() -> runtime::awaitable<Result<void>> {
            co_await session->close();
            co_return Result<void>();
          })
          .value();
    }
    for (const auto& backend : backends) backend->halt();
    host.close(plain);
  }
  Ensemble(const Ensemble&) = delete;
  Ensemble& operator=(const Ensemble&) = delete;

  ZooKeeperOptions options() {
    ZooKeeperOptions made;
    made.executor = host.context().get_executor();
    made.clock = host.clock();
    made.self = runtime::describe_self("test");
    made.servers = {server_of(test_server())};
    made.session_timeout = std::chrono::seconds(10);
    made.chroot = chroot;
    made.url = "zk://" + test_server() + chroot;
    return made;
  }

  Result<SessionPtr> open() {
    backends.push_back(std::make_unique<ZooKeeperBackend>(options()));
    ZooKeeperBackend& backend = *backends.back();
    Result<SessionPtr> opened = host.run<SessionPtr>(
        [&] { return backend.open_session(host.clock()->after(liveness_bound())); });
    if (opened) sessions.push_back(*opened);
    return opened;
  }
  SessionPtr session() { return open().value(); }
  runtime::Directory& directory() { return backends.back()->directory(); }

  Joined join(const SessionPtr& session, const RequestPtr& request) {
    return host.run<Joined>([&] { return session->join(request); }).value();
  }
  void leave(const SessionPtr& session, const RequestPtr& request) {
    host.run<void>([&] { return session->leave(request->id); }).value();
  }
  std::vector<std::string> children(const std::string& path) {
    return host.answer(plain->children(path)).value();
  }

  std::string chroot;
  Tree tree;
  ZookeeperHost host;
  HandlePtr plain;
  std::vector<std::unique_ptr<ZooKeeperBackend>> backends;
  std::vector<SessionPtr> sessions;
};

// A request for partitions of ods.t, whose one column is dt, and for whatever else.
std::shared_ptr<runtime::Request> request(const std::vector<core::Place>& places) {
  auto made = std::make_shared<runtime::Request>();
  made->id = core::random_id();
  made->owner = runtime::describe_self("test");
  made->owner.owner = core::random_id();
  made->owner.reason = "testing";
  made->proof = core::random_id();
  made->places = places;
  const bool names_partitions = std::ranges::any_of(
      places, [](const core::Place& place) { return place.resource.depth() > 2; });
  if (names_partitions) {
    TableColumns order;
    order.table = PartitionSpec("ods", "t");
    order.columns = {"dt"};
    made->columns.push_back(order);
  }
  made->since = std::chrono::system_clock::time_point(std::chrono::milliseconds(1700000000123));
  return made;
}

core::Place place(const std::string& path, LockMode mode = LockMode::exclusive) {
  return {core::Resource::from_path(path), mode};
}

core::Turn turn_of(const Joined& joined) {
  std::vector<core::Ticket> standing;
  for (const StandingTicket& one : *joined.look) standing.push_back(one.ticket);
  return core::turn_of(joined.tickets, standing);
}

TEST_CASE("a tree in a newer format than ours is refused in one line") {
  Ensemble ensemble;
  ensemble.session();
  const std::string json = to_json(FormatText{9, 9});
  ensemble.host.answer(ensemble.plain->set(ensemble.tree.format(), json)).value();
  const Result<SessionPtr> refused = ensemble.open();
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().errc == Errc::mismatch);
  CHECK(refused.error().message.find('\n') == std::string::npos);
  // Newer, but such that older readers understand it.
  const std::string readable = to_json(FormatText{9, 1});
  ensemble.host.answer(ensemble.plain->set(ensemble.tree.format(), readable)).value();
  CHECK(ensemble.open().has_value());
}

TEST_CASE("B06 L29: a chroot that is not there is made, however deep") {
  Ensemble ensemble("/test-" + core::random_id() + "/of/a/lake");
  const SessionPtr session = ensemble.session();
  const RequestPtr wanted = request({place("/ods/t/dt=1")});
  ensemble.join(session, wanted);
  CHECK(ensemble.children(ensemble.chroot + "/hive_locks/ods/t/dt=1").size() == 1);
}

TEST_CASE("a partition is one node, a table is a node and a companion") {
  Ensemble ensemble;
  const SessionPtr session = ensemble.session();
  const RequestPtr partition = request({place("/ods/t/dt=1")});
  const Joined joined = ensemble.join(session, partition);
  REQUIRE(joined.look.has_value());
  CHECK(turn_of(joined).kind == core::Turn::Kind::granted);
  CHECK(ensemble.children(ensemble.tree.directory(partition->places[0].resource)).size() == 1);
  const RequestPtr table = request({place("/ods/t")});
  const Joined waiting = ensemble.join(session, table);
  CHECK(turn_of(waiting).kind == core::Turn::Kind::waits);
  CHECK(ensemble.children(ensemble.tree.coarse(table->places[0].resource)).size() == 1);
  CHECK(waiting.tokens[0] > joined.tokens[0]);
  ensemble.leave(session, table);
  CHECK(ensemble.children(ensemble.tree.coarse(table->places[0].resource)).empty());
  ensemble.leave(session, partition);
  CHECK(ensemble.children(ensemble.tree.directory(partition->places[0].resource)).empty());
  // Leaving again, as after a lost reply, is no failure.
  ensemble.leave(session, partition);
}

TEST_CASE("who comes second sees who came first, above and below") {
  Ensemble ensemble;
  const SessionPtr one = ensemble.session();
  const SessionPtr two = ensemble.session();
  for (const bool coarse_first : {true, false}) {
    const RequestPtr coarse = request({place("/ods")});
    const RequestPtr fine = request({place("/ods/t/dt=1")});
    const RequestPtr first = coarse_first ? coarse : fine;
    const RequestPtr second = coarse_first ? fine : coarse;
    ensemble.join(one, first);
    const core::Turn turn = turn_of(ensemble.join(two, second));
    REQUIRE(turn.kind == core::Turn::Kind::waits);
    REQUIRE(turn.ahead.size() == 1);
    CHECK(turn.ahead[0].request == first->id);
    ensemble.leave(one, first);
    const Result<std::vector<core::Ticket>> left =
        ensemble.host.run<std::vector<core::Ticket>>([&] { return two->still_there(turn.ahead); });
    CHECK(left.value().empty());
    ensemble.leave(two, second);
  }
}

TEST_CASE("a set has one number, and is found whole after an unknown outcome") {
  Ensemble ensemble;
  const SessionPtr session = ensemble.session();
  const RequestPtr set = request({place("/ods/t/dt=1"), place("/ods/t/dt=2"), place("/ods/u")});
  const auto find = [&](const RequestPtr& wanted) {
    return ensemble.host.run<std::optional<Joined>>([&] { return session->find(wanted); }).value();
  };
  CHECK_FALSE(find(set).has_value());
  const Joined joined = ensemble.join(session, set);
  const std::optional<Joined> found = find(set);
  REQUIRE(found.has_value());
  REQUIRE(found->tickets.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(found->tickets[i].node == joined.tickets[i].node);
    CHECK(found->tickets[i].position == joined.tickets[0].position);
    CHECK(found->tokens[i] == joined.tokens[0]);
  }
  ensemble.leave(session, set);
  CHECK_FALSE(find(set).has_value());
  CHECK(ensemble.children(ensemble.tree.coarse(set->places[2].resource)).empty());
}

TEST_CASE("of a long queue the front is read, and the order of the rest is right") {
  Ensemble ensemble;
  const SessionPtr session = ensemble.session();
  std::vector<RequestPtr> queue;
  for (int i = 0; i < 20; ++i) {
    queue.push_back(request({place("/ods/t/dt=1")}));
    ensemble.join(session, queue.back());
  }
  const RequestPtr last = request({place("/ods/t/dt=1")});
  const Joined joined = ensemble.join(session, last);
  const core::Turn turn = turn_of(joined);
  REQUIRE(turn.ahead.size() == queue.size());
  for (std::size_t i = 0; i < queue.size(); ++i) CHECK(turn.ahead[i].request == queue[i]->id);
  const auto holder = std::ranges::find(*joined.look, queue.front()->id,
                                        [](const auto& one) { return one.ticket.request; });
  CHECK(holder->owner.pid == getpid());
  CHECK(holder->owner.reason == "testing");
}

TEST_CASE("an owner's request is found whole from one of its members") {
  Ensemble ensemble;
  const SessionPtr parent = ensemble.session();
  const SessionPtr child = ensemble.session();
  const RequestPtr set = request({place("/ods/t/dt=1"), place("/ods/u")});
  ensemble.join(parent, set);
  for (const std::string near : {"/ods/t/dt=1", "/ods/u", "/ods/u/dt=7"}) {
    INFO(near);
    const std::vector<core::Place> where{place(near)};
    const auto tickets = ensemble.host.run<std::vector<StandingTicket>>(
        [&] { return child->tickets_of(set->owner.owner, where); });
    REQUIRE(tickets.value().size() == 2);
    CHECK(tickets.value()[0].proof == set->proof);
  }
  // The child may record by its parent's lock, and not after it has gone.
  const auto record = [&] {
    return ensemble.host.run<void>([&] { return child->write_if_held(set->id, "key", "value"); });
  };
  CHECK(record().has_value());
  ensemble.leave(parent, set);
  CHECK(record().error().errc == Errc::fenced);
  CHECK(ensemble.host
            .run<std::optional<std::string>>([&] { return ensemble.directory().read("key"); })
            .value() == "value");
}

TEST_CASE("a broken session hears why at once, and its places go by the second step") {
  Ensemble ensemble;
  const SessionPtr victim = ensemble.session();
  const SessionPtr other = ensemble.session();
  const RequestPtr held = request({place("/ods/t/dt=1"), place("/ods/u")});
  ensemble.join(victim, held);
  const runtime::EventPtr over = ensemble.host.event();
  victim->on_over(over);
  const std::string name = victim->id();
  ensemble.host.run<void>([&] { return ensemble.directory().break_session(name, "it hangs"); })
      .value();
  REQUIRE(ensemble.host.until([&] { return victim->over().has_value(); }));
  CHECK(victim->over()->code == "broken");
  CHECK(victim->over()->message.find("it hangs") != std::string::npos);
  CHECK(over->is_set());
  CHECK(ensemble.host.run<void>([&] { return victim->beat(); }).error().code == "broken");
  // Its places stand until the second step: it may still be writing.
  CHECK(ensemble.children(ensemble.tree.directory(held->places[0].resource)).size() == 1);
  ensemble.host.run<void>([&] { return ensemble.directory().remove_broken(name); }).value();
  CHECK(ensemble.children(ensemble.tree.directory(held->places[0].resource)).empty());
  CHECK(ensemble.children(ensemble.tree.coarse(held->places[1].resource)).empty());
  // Only what is broken is removed so.
  const RequestPtr kept = request({place("/ods/t/dt=1")});
  ensemble.join(other, kept);
  const std::string living = other->id();
  ensemble.host.run<void>([&] { return ensemble.directory().remove_broken(living); }).value();
  CHECK(ensemble.children(ensemble.tree.directory(kept->places[0].resource)).size() == 1);
}

TEST_CASE("a waiting reader hears of a downgrade, a writer waits on") {
  Ensemble ensemble;
  const SessionPtr one = ensemble.session();
  const SessionPtr two = ensemble.session();
  const RequestPtr holder = request({place("/ods/t/dt=1")});
  const RequestPtr reader = request({place("/ods/t/dt=1", LockMode::shared)});
  ensemble.join(one, holder);
  const Joined waiting = ensemble.join(two, reader);
  const core::Turn turn = turn_of(waiting);
  REQUIRE(turn.kind == core::Turn::Kind::waits);
  const runtime::EventPtr changed = ensemble.host.event();
  ensemble.host.run<void>([&] { return two->watch(turn.ahead[0], changed); }).value();
  CHECK_FALSE(changed->is_set());
  ensemble.host.run<void>([&] { return one->lower(holder->id); }).value();
  REQUIRE(ensemble.host.until([&] { return changed->is_set(); }));
  std::vector<core::Ticket> asked = turn.ahead;
  asked.push_back(waiting.tickets[0]);
  ensemble.host.run<void>([&] { return two->watch(turn.ahead[0], changed); }).value();
  const auto left =
      ensemble.host.run<std::vector<core::Ticket>>([&] { return two->still_there(asked); });
  CHECK(core::turn_of(waiting.tickets, left.value()).kind == core::Turn::Kind::granted);
}

TEST_CASE("a table that got a further column is still covered by locks of the old depth") {
  Ensemble ensemble;
  const SessionPtr one = ensemble.session();
  const SessionPtr two = ensemble.session();
  const RequestPtr old = request({place("/ods/t/dt=1")});
  ensemble.join(one, old);
  const auto longer = request({place("/ods/t/dt=1/hr=2")});
  longer->columns[0].columns = {"dt", "hr"};
  const Joined below = ensemble.join(two, longer);
  REQUIRE_FALSE(below.columns_changed);
  CHECK(turn_of(below).kind == core::Turn::Kind::waits);
  ensemble.leave(two, longer);
  // A session that comes later learns of the old depth from the table.
  const SessionPtr three = ensemble.session();
  const auto later = request({place("/ods/t/dt=1/hr=3")});
  later->columns[0].columns = {"dt", "hr"};
  CHECK(turn_of(ensemble.join(three, later)).kind == core::Turn::Kind::waits);
  // Who relies on the old order is told that it is another one now, and stands nowhere.
  const RequestPtr stale = request({place("/ods/t/dt=2")});
  CHECK(ensemble.join(one, stale).columns_changed);
  CHECK(ensemble.host.answer(ensemble.plain->exists(ensemble.chroot + "/hive_locks/ods/t/dt=2"))
            .has_value() == false);
}

}  // namespace
}  // namespace locker::tests
