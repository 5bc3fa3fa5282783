// The store itself, as one thread sees it: what it keeps, in which order, for how long.

#include <filesystem>

#include "backends/local/store.h"
#include "core/random_id.h"
#include "runtime/process_info.h"
#include "tests/local/support.h"
#include "tests/support/test.h"

using namespace locker;
using namespace locker::tests;
using locker::backends::local::Pipes;
using locker::backends::local::Store;
using locker::backends::local::StoreTime;
using locker::runtime::Joined;
using locker::runtime::StandingTicket;

namespace {

std::unique_ptr<Store> open_store(const std::string& directory, const std::string& boot = "boot") {
  Result<std::unique_ptr<Store>> store = Store::open({directory}, boot, StoreTime::max());
  return *std::move(store);
}

// A session of the store without a runtime.
struct Member {
  explicit Member(Store& store)
      : id(core::random_id()), pipes(*store.open_session(id, runtime::describe_self("test"), {})) {}

  std::string id;
  Pipes pipes;
};

std::uint64_t position_of(const Result<Joined>& joined) {
  return joined->tickets.at(0).position;
}

std::vector<std::string> requests_in(const Result<std::vector<StandingTicket>>& standing) {
  std::vector<std::string> ids;
  for (const StandingTicket& one : *standing) ids.push_back(one.ticket.request);
  return ids;
}

}  // namespace

TEST_CASE("a set is enqueued at one position, with one token a member") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member member(*store);
  const auto wanted = request({place("/db/a"), place("/db/b", LockMode::shared)});
  const Result<Joined> joined = store->join(member.id, *wanted);
  REQUIRE(joined);
  REQUIRE(joined->tickets.size() == 2);
  CHECK(joined->tickets[0].position == joined->tickets[1].position);
  CHECK(joined->tickets[0].node != joined->tickets[1].node);
  CHECK(joined->tickets[0].place == place("/db/a"));
  CHECK(joined->tickets[1].place == place("/db/b", LockMode::shared));
  CHECK(joined->tickets[0].request == wanted->id);
  CHECK(joined->tickets[0].owner == wanted->owner.owner);
  REQUIRE(joined->tokens.size() == 2);
  CHECK(joined->tokens[0].coordinator == joined->tickets[0].position);
  CHECK(joined->tokens[0].local == 0);

  const auto found = store->find(member.id, *wanted);
  REQUIRE(found);
  REQUIRE(found->has_value());
  CHECK((*found)->tickets.size() == 2);
  CHECK_FALSE(store->find(member.id, *request({place("/db/a")}))->has_value());
}

TEST_CASE("L08: a request that joins again has one place") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member member(*store);
  const auto wanted = request({place("/db/t")});
  const std::uint64_t first = position_of(store->join(member.id, *wanted));
  CHECK(position_of(store->join(member.id, *wanted)) == first);
  CHECK(store->list({})->size() == 1);
}

TEST_CASE("tokens grow over reopening and over a boot") {
  const TemporaryDirectory directory;
  std::uint64_t last = 0;
  for (const std::string boot : {"one", "one", "two", "two", "one"}) {
    const auto store = open_store(directory.path(), boot);
    const Member member(*store);
    for (int round = 0; round < 3; ++round) {
      const auto wanted = request({place("/db/t")});
      const std::uint64_t position = position_of(store->join(member.id, *wanted));
      CHECK(position > last);
      last = position;
      REQUIRE(store->leave(member.id, wanted->id, {}));
    }
    REQUIRE(store->close_session(member.id));
  }
}

TEST_CASE("a token lost with the power is not given again by the next boot") {
  const TemporaryDirectory directory;
  const TemporaryDirectory saved;
  std::uint64_t lost = 0;
  {
    const auto store = open_store(directory.path(), "one");
    std::filesystem::copy(directory / "locks.db", saved / "locks.db");
    std::filesystem::copy(directory / "locks.db-wal", saved / "locks.db-wal");
    const Member member(*store);
    for (int round = 0; round < 5; ++round) {
      lost = position_of(store->join(member.id, *request({place("/db/t")})));
    }
  }
  // What was written since the boot's beginning is gone; that beginning itself is on the disk.
  for (const char* name : {"locks.db", "locks.db-wal"}) {
    std::filesystem::copy(saved / name, directory / name,
                          std::filesystem::copy_options::overwrite_existing);
  }
  std::filesystem::remove(directory / "locks.db-shm");
  const auto store = open_store(directory.path(), "two");
  const Member member(*store);
  CHECK(position_of(store->join(member.id, *request({place("/db/t")}))) > lost);
}

TEST_CASE("a boot ends every session of the one before") {
  const TemporaryDirectory directory;
  std::string id;
  const auto wanted = request({place("/db/t")});
  {
    const auto store = open_store(directory.path(), "one");
    Member member(*store);
    id = member.id;
    REQUIRE(store->join(id, *wanted));
  }
  const auto store = open_store(directory.path(), "two");
  CHECK(store->list({})->empty());
  CHECK(store->sessions()->empty());
  CHECK(store->leave(id, wanted->id, {}).error().errc == Errc::lost);
  CHECK_FALSE(std::filesystem::exists(store->files().life(id)));
}

TEST_CASE("standing finds equal places, those above and those below, and no others") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member member(*store);
  for (const char* path : {"/db", "/db/t", "/db/t/dt=1", "/db/t/dt=1/hr=2", "/db/t/dt=10",
                           "/db/t_1", "/db/t-1", "/db/t0", "/db2", "/db/t/dt=1/hr=2/a=3"}) {
    const auto wanted = request({place(path)});
    REQUIRE(store->join(member.id, *wanted));
  }
  const auto met = [&](const std::string& path) {
    std::vector<std::string> paths;
    const auto standing = store->standing(member.id, {place(path)});
    for (const StandingTicket& one : *standing) {
      paths.push_back(one.ticket.place.resource.path());
    }
    return paths;
  };
  CHECK(met("/db/t/dt=1") == std::vector<std::string>{"/db", "/db/t", "/db/t/dt=1",
                                                      "/db/t/dt=1/hr=2", "/db/t/dt=1/hr=2/a=3"});
  CHECK(met("/db/t_1") == std::vector<std::string>{"/db", "/db/t_1"});
  CHECK(met("/db/t").size() == 6);
  CHECK(met("/db").size() == 9);
  CHECK(met("/db3").empty());
  CHECK(store->list({})->size() == 10);
  CHECK(store->list(core::Resource::from_path("/db/t"))->size() == 5);
}

TEST_CASE("the queue has the order of joining, and tells who stands there") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member left(*store);
  const Member right(*store);
  std::vector<std::string> order_of_joining;
  for (int round = 0; round < 20; ++round) {
    const auto wanted = request({place("/db/t")});
    REQUIRE(store->join(round % 3 == 0 ? left.id : right.id, *wanted));
    order_of_joining.push_back(wanted->id);
  }
  const auto standing = store->standing(left.id, {place("/db/t")});
  CHECK(requests_in(standing) == order_of_joining);
  const StandingTicket& first = standing->at(0);
  CHECK(first.session == left.id);
  CHECK(first.owner.pid == ::getpid());
  CHECK(first.owner.application == "test");
  CHECK(first.owner.reason == "testing");
  CHECK(first.owner.owner == first.ticket.owner);
  CHECK(first.proof.size() == 32);
  CHECK(first.since.time_since_epoch() == std::chrono::milliseconds(1700000000123));
}

TEST_CASE("leaving takes every place of the request and of no other") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member member(*store);
  const Member other(*store);
  const auto mine = request({place("/db/a"), place("/db/b")});
  const auto theirs = request({place("/db/a")});
  const Result<Joined> joined = store->join(member.id, *mine);
  REQUIRE(store->join(other.id, *theirs));
  REQUIRE(store->leave(other.id, mine->id, {}));
  CHECK(store->list({})->size() == 3);
  REQUIRE(store->leave(member.id, mine->id, {}));
  REQUIRE(store->leave(member.id, mine->id, {}));
  CHECK(requests_in(store->list({})) == std::vector<std::string>{theirs->id});
  CHECK(store->still_there(member.id, joined->tickets)->empty());
}

TEST_CASE("lowering makes every place shared and keeps the position") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member member(*store);
  const auto wanted = request({place("/db/a"), place("/db/b", LockMode::shared)});
  const Result<Joined> joined = store->join(member.id, *wanted);
  REQUIRE(store->lower(member.id, wanted->id));
  const auto left = store->still_there(member.id, joined->tickets);
  REQUIRE(left->size() == 2);
  CHECK(left->at(0).place.mode == LockMode::shared);
  CHECK(left->at(0).position == joined->tickets[0].position);
  CHECK(store->lower(member.id, "nothing").error().errc == Errc::lost);
}

TEST_CASE("a request whose table has another order enqueues nothing") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member member(*store);
  const auto joins = [&](std::vector<std::string> columns) {
    const auto wanted = request({place("/db/t/dt=1")});
    wanted->columns = {order("db.t", std::move(columns))};
    const Result<Joined> joined = store->join(member.id, *wanted);
    REQUIRE(joined);
    const bool stands = store->find(member.id, *wanted)->has_value();
    CHECK(stands == !joined->columns_changed);
    return stands;
  };
  const core::Resource table = core::Resource::from_path("/db/t");
  CHECK_FALSE(store->columns(table)->has_value());
  CHECK(joins({"dt"}));
  CHECK((*store->columns(table))->columns == std::vector<std::string>{"dt"});
  CHECK((*store->columns(table))->set_by == "tester@here");
  CHECK_FALSE((*store->columns(table))->registered);
  CHECK(joins({"dt", "hr"}));  // longer
  CHECK((*store->columns(table))->columns == std::vector<std::string>{"dt", "hr"});
  CHECK_FALSE(joins({"dt"}));  // it relies on an order that is another by now
  CHECK_FALSE(joins({"hr", "dt"}));
  CHECK(joins({"dt", "hr"}));

  TableColumns registered = order("db.t", {"dt", "hr"});
  registered.registered = true;
  REQUIRE(store->set_columns(registered, *store->columns(table)));
  CHECK(joins({"dt", "hr"}));
  CHECK_FALSE(joins({"dt", "hr", "city"}));
  CHECK((*store->columns(table))->columns == std::vector<std::string>{"dt", "hr"});
}

TEST_CASE("orders are written conditionally, listed and forgotten") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const TableColumns first = order("db.t", {"dt", "a\nb"});
  REQUIRE(store->set_columns(first, {}));
  CHECK(store->set_columns(first, {}).error().errc == Errc::conflict);
  CHECK(store->set_columns(order("db.t", {"x"}), order("db.t", {"y"})).error().errc ==
        Errc::conflict);
  REQUIRE(store->set_columns(order("db.s", {"x"}), {}));
  const auto tables = store->tables();
  REQUIRE(tables->size() == 2);
  CHECK(tables->at(0).table.to_string() == "db.s");
  CHECK(tables->at(1).columns == first.columns);
  CHECK(tables->at(1).set_at == first.set_at);
  REQUIRE(store->forget_columns(core::Resource::from_path("/db/t")));
  CHECK(store->forget_columns(core::Resource::from_path("/db/t")).error().errc == Errc::not_found);
  CHECK(store->tables()->size() == 1);
}

TEST_CASE("L02: a record is written while the request stands, and refused afterwards") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member member(*store);
  const auto wanted = request({place("/db/t")});
  CHECK(store->write_if_held(member.id, wanted->id, "key", "early").error().errc == Errc::fenced);
  REQUIRE(store->join(member.id, *wanted));
  REQUIRE(store->write_if_held(member.id, wanted->id, "key", "first"));
  REQUIRE(store->write_if_held(member.id, wanted->id, "key", "second"));
  REQUIRE(store->leave(member.id, wanted->id, {}));
  CHECK(store->write_if_held(member.id, wanted->id, "key", "late").error().errc == Errc::fenced);
  CHECK(**store->read("key") == "second");
  CHECK_FALSE(store->read("other")->has_value());
}

TEST_CASE("a broken session is told by whom and why, and its places stand until it has heard") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  Member member(*store);
  const auto wanted = request({place("/db/t")});
  REQUIRE(store->join(member.id, *wanted));
  const OwnerInfo breaker = runtime::describe_self("breaker");
  REQUIRE(store->remove_broken(member.id));
  CHECK(store->list({})->size() == 1);
  REQUIRE(store->break_session(member.id, "it hangs", breaker, {}));
  CHECK(store->list({})->size() == 1);
  const Error why = store->write_if_held(member.id, wanted->id, "key", "late").error();
  CHECK(why.errc == Errc::lost);
  CHECK_THAT(why.message, Catch::Contains("it hangs"));
  CHECK_THAT(why.message, Catch::Contains(breaker.user + "@" + breaker.host));
  CHECK(store->look(member.id, {})->over.has_value());
  REQUIRE(store->remove_broken(member.id));
  CHECK(store->list({})->empty());
  CHECK(store->break_session(member.id, "again", breaker, {}).error().errc == Errc::not_found);
  REQUIRE(store->close_session(member.id));
  CHECK_FALSE(std::filesystem::exists(store->files().bell(member.id)));
}

TEST_CASE("what the dead left goes: places when somebody looks, everything when cleaned") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member member(*store);
  auto dead = std::make_unique<Member>(*store);
  auto also_dead = std::make_unique<Member>(*store);
  const std::string dead_id = dead->id;
  REQUIRE(store->join(dead->id, *request({place("/db/t"), place("/db/u")})));
  REQUIRE(store->join(also_dead->id, *request({place("/db/v")})));
  CHECK(store->standing(member.id, {place("/db")})->size() == 3);
  dead.reset();
  also_dead.reset();
  CHECK(store->list({})->empty());
  const auto sessions = store->sessions();
  REQUIRE(sessions->size() == 3);
  int places = 0;
  for (const SessionInfo& session : *sessions) {
    CHECK(session.alive == (session.id == member.id));
    places += session.locks;
  }
  CHECK(places == 3);
  CHECK(store->standing(member.id, {place("/db/t")})->empty());
  CHECK(store->sessions()->size() == 2);
  CHECK_FALSE(std::filesystem::exists(store->files().life(dead_id)));
  CHECK(*store->clean({}) == 2);
  CHECK(*store->clean({}) == 0);
  CHECK(store->sessions()->size() == 1);
}

TEST_CASE("cleaning removes pipes of no session, and none of a session that is being born") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const auto& files = store->files();
  { const auto orphan = backends::local::make_pipes(files.life("a"), files.bell("a"), 0600, 0600); }
  const auto unborn = backends::local::make_pipes(files.life("b"), files.bell("b"), 0600, 0600);
  REQUIRE(unborn);
  CHECK(*store->clean({}) == 1);
  CHECK_FALSE(std::filesystem::exists(files.life("a")));
  CHECK_FALSE(std::filesystem::exists(files.bell("a")));
  CHECK(std::filesystem::exists(files.bell("b")));
}

TEST_CASE("a session whose pipe was removed by hand lives as long as its process") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member member(*store);
  const Member holder(*store);
  REQUIRE(store->join(holder.id, *request({place("/db/t")})));
  std::filesystem::remove(store->files().life(holder.id));
  CHECK(store->standing(member.id, {place("/db/t")})->size() == 1);
}

TEST_CASE("a removed directory ends what was in it") {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.path());
  const Member member(*store);
  std::filesystem::remove_all(directory.path());
  const auto joined = store->join(member.id, *request({place("/db/t")}));
  CHECK(joined.error().errc == Errc::lost);
  CHECK(joined.error().code == "store_gone");
}
