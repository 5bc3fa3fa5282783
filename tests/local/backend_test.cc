// The backend on its runtime: watches, loss, many waits.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "backends/local/store.h"
#include "runtime/process_info.h"
#include "tests/local/support.h"
#include "tests/support/test.h"

using namespace locker;
using namespace locker::tests;
using locker::runtime::EventPtr;
using locker::runtime::Joined;
using locker::runtime::SessionPtr;
using locker::runtime::StandingTicket;

namespace {

Joined join(Host& host, const SessionPtr& session, const runtime::RequestPtr& wanted) {
  return host.run<Joined>([&] { return session->join(wanted); }).value();
}

EventPtr watch(Host& host, const SessionPtr& session, const core::Ticket& ticket) {
  const EventPtr changed = host.event();
  host.run<void>([&] { return session->watch(ticket, changed); }).value();
  return changed;
}

std::size_t count_in(const char* directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), {}));
}

}  // namespace

TEST_CASE("a watch tells of release, of lowering, and of what has happened already") {
  const TemporaryDirectory directory;
  Host host(directory.path());
  const SessionPtr holder = host.session();
  const SessionPtr waiter = host.session();
  const auto wanted = request({place("/db/a"), place("/db/b")});
  const Joined joined = join(host, holder, wanted);

  const EventPtr lowered = watch(host, waiter, joined.tickets[0]);
  CHECK_FALSE(lowered->is_set());
  host.run<void>([&] { return holder->lower(wanted->id); }).value();
  CHECK(host.until([&] { return lowered->is_set(); }));
  CHECK(watch(host, waiter, joined.tickets[0])->is_set());

  const auto left =
      host.run<std::vector<core::Ticket>>([&] { return waiter->still_there(joined.tickets); });
  REQUIRE(left->size() == 2);
  const EventPtr gone = watch(host, waiter, left->at(1));
  CHECK_FALSE(gone->is_set());
  host.leave(holder, wanted);
  CHECK(host.until([&] { return gone->is_set(); }));
  CHECK(watch(host, waiter, left->at(1))->is_set());
}

TEST_CASE("several watches of one ticket are all told, those of one session too") {
  const TemporaryDirectory directory;
  Host host(directory.path());
  Host other_host(directory.path());
  const SessionPtr holder = host.session();
  const SessionPtr waiter = host.session();
  const SessionPtr other = other_host.session();
  const auto wanted = request({place("/db/a")});
  const core::Ticket ticket = join(host, holder, wanted).tickets[0];
  const EventPtr first = watch(host, waiter, ticket);
  const EventPtr second = watch(host, waiter, ticket);
  const EventPtr own = watch(host, holder, ticket);
  const EventPtr far = watch(other_host, other, ticket);
  host.leave(holder, wanted);
  CHECK(host.until([&] { return first->is_set() && second->is_set() && own->is_set(); }));
  CHECK(other_host.until([&] { return far->is_set(); }));
}

TEST_CASE("who gives up its wait leaves the others' watches alone") {
  const TemporaryDirectory directory;
  Host host(directory.path());
  const SessionPtr holder = host.session();
  const SessionPtr waiter = host.session();
  const auto held = request({place("/db/a")});
  const auto patient = request({place("/db/a")});
  const auto hasty = request({place("/db/a")});
  const core::Ticket ticket = join(host, holder, held).tickets[0];
  join(host, waiter, patient);
  join(host, waiter, hasty);
  const EventPtr told = watch(host, waiter, ticket);
  watch(host, waiter, ticket).reset();
  host.leave(waiter, hasty);
  host.leave(holder, held);
  CHECK(host.until([&] { return told->is_set(); }));
}

TEST_CASE("closing a session frees its locks and touches no other's") {
  const TemporaryDirectory directory;
  Host host(directory.path());
  const SessionPtr first = host.session();
  const SessionPtr second = host.session();
  const auto mine = request({place("/db/a")});
  const auto theirs = request({place("/db/b")});
  const core::Ticket ticket = join(host, first, mine).tickets[0];
  join(host, second, theirs);
  const EventPtr gone = watch(host, second, ticket);
  const EventPtr over = host.event();
  first->on_over(over);
  bool closed = false;
  boost::asio::co_spawn(host.context(), first->close(),
                        [&](const std::exception_ptr&) { closed = true; });
  CHECK(host.until([&] { return closed && gone->is_set() && over->is_set(); }));
  CHECK(first->over()->errc == Errc::lost);
  CHECK(host.run<Joined>([&] { return first->join(mine); }).error().errc == Errc::lost);
  const auto left =
      host.run<std::vector<StandingTicket>>([&] { return host.directory().list({}); });
  REQUIRE(left->size() == 1);
  CHECK(left->at(0).ticket.request == theirs->id);
}

TEST_CASE("a broken session hears of it, and its watchers of its locks") {
  const TemporaryDirectory directory;
  Host host(directory.path());
  Host breaker(directory.path());
  const SessionPtr holder = host.session();
  const SessionPtr waiter = host.session();
  const auto wanted = request({place("/db/a")});
  const core::Ticket ticket = join(host, holder, wanted).tickets[0];
  const EventPtr gone = watch(host, waiter, ticket);
  const EventPtr over = host.event();
  holder->on_over(over);
  breaker.run<void>([&] { return breaker.directory().break_session(holder->id(), "it hangs"); })
      .value();
  CHECK(host.until([&] { return over->is_set(); }));
  CHECK_FALSE(gone->is_set());
  CHECK(holder->over()->errc == Errc::lost);
  breaker.run<void>([&] { return breaker.directory().remove_broken(holder->id()); }).value();
  CHECK(host.until([&] { return gone->is_set(); }));
  CHECK_THAT(holder->over()->message, Catch::Contains("it hangs"));
  CHECK_FALSE(waiter->over().has_value());
  const auto unknown =
      breaker.run<void>([&] { return breaker.directory().break_session(holder->id(), "again"); });
  CHECK(unknown.error().errc == Errc::not_found);
}

TEST_CASE("a removed store ends its sessions, and the next session has a new store") {
  const TemporaryDirectory parent;
  const std::string directory = parent / "store";
  Host host(directory);
  const SessionPtr holder = host.session();
  const EventPtr over = host.event();
  holder->on_over(over);
  std::filesystem::remove_all(directory);
  const auto wanted = request({place("/db/a")});
  CHECK(host.run<Joined>([&] { return holder->join(wanted); }).error().code == "store_gone");
  CHECK(host.until([&] { return over->is_set(); }));
  CHECK_FALSE(std::filesystem::exists(directory));
  const SessionPtr next = host.session();
  CHECK(host.lock(next, request({place("/db/a")})));
}

TEST_CASE("L23: sets in opposite orders never wait for each other in a circle") {
  const TemporaryDirectory directory;
  Host host(directory.path());
  const SessionPtr left = host.session();
  const SessionPtr right = host.session();
  int granted = 0;
  const auto lock_often = [&](SessionPtr session, std::vector<core::Place> places) {
    return [&host, &granted, session, places]() -> runtime::awaitable<void> {
      for (int round = 0; round < 100; ++round) {
        const runtime::RequestPtr wanted = request(places);
        const EventPtr changed = host.event();
        const std::function<void()> nothing;
        Result<Joined> joined = co_await take(session, wanted, changed, nothing);
        if (!joined) co_return;
        ++granted;
        const Result<void> released = co_await session->leave(wanted->id);
        if (!released) co_return;
      }
    };
  };
  const auto forwards = lock_often(left, {place("/db/1"), place("/db/2"), place("/db/3")});
  const auto backwards = lock_often(right, {place("/db/3"), place("/db/2"), place("/db/1")});
  boost::asio::co_spawn(host.context(), forwards(), boost::asio::detached);
  boost::asio::co_spawn(host.context(), backwards(), boost::asio::detached);
  CHECK(host.until([&] { return granted == 200; }, 3));
}

TEST_CASE("500 waits of one process cost no thread and are granted in order") {
  const TemporaryDirectory directory;
  Host host(directory.path());
  const SessionPtr session = host.session();
  const SessionPtr holder = host.session();
  const auto held = request({place("/db/a")});
  join(host, holder, held);
  constexpr int waits = 500;
  int waiting = 0;
  std::vector<std::uint64_t> granted;
  const auto wait = [&]() -> runtime::awaitable<void> {
    const runtime::RequestPtr wanted = request({place("/db/a")});
    const EventPtr changed = host.event();
    const std::function<void()> count_me = [&waiting] { ++waiting; };
    Result<Joined> joined = co_await take(session, wanted, changed, count_me);
    if (!joined) co_return;
    granted.push_back(joined->tickets[0].position);
    const Result<void> released = co_await session->leave(wanted->id);
    static_cast<void>(released);
  };
  for (int index = 0; index < waits; ++index) {
    boost::asio::co_spawn(host.context(), wait(), boost::asio::detached);
  }
  REQUIRE(host.until([&] { return waiting == waits; }, 6));
  CHECK(count_in("/proc/self/task") <= 8);
  CHECK(count_in("/proc/self/fd") < 60);
  host.leave(holder, held);
  CHECK(host.until([&] { return granted.size() == waits; }, 6));
  CHECK(std::ranges::is_sorted(granted));
}

TEST_CASE("a directory is opened by the first verb, of a session or not") {
  const TemporaryDirectory parent;
  Host host(parent / "store");
  CHECK(host.backend().url() == "local:" + parent.path() + "/store");
  CHECK(host.backend().warnings().empty());
  CHECK_FALSE(std::filesystem::exists(parent / "store"));
  CHECK(host.run<std::vector<StandingTicket>>([&] { return host.directory().list({}); })->empty());
  CHECK(std::filesystem::exists(parent / "store"));
}

TEST_CASE("a halted backend still answers") {
  const TemporaryDirectory directory;
  Host host(directory.path());
  const SessionPtr session = host.session();
  const auto before = request({place("/db/a")});
  const Joined first = join(host, session, before);
  host.backend().halt();
  host.backend().halt();
  const auto wanted = request({place("/db/b")});
  const Joined second = join(host, session, wanted);
  CHECK(second.tokens.at(0) > first.tokens.at(0));
  host.leave(session, wanted);
  CHECK(host.run<std::vector<StandingTicket>>([&] { return host.directory().list({}); })->size() ==
        1);
}

TEST_CASE("a backend's thread is done with its executor before that goes") {
  const TemporaryDirectory directory;
  Host observer(directory.path());
  const std::vector<core::Place> places{place("/db/a")};
  constexpr int rounds = 20;
  constexpr int asks = 50;
  for (int round = 0; round < rounds; ++round) {
    Host host(directory.path());
    const SessionPtr session = host.session();
    const auto ask = [&]() -> runtime::awaitable<void> {
      const Result<std::vector<StandingTicket>> seen = co_await session->standing(places);
      static_cast<void>(seen);
    };
    // The executor ends, and with it these waits, while the answers come.
    for (int index = 0; index < asks; ++index) {
      boost::asio::co_spawn(host.context(), ask(), boost::asio::detached);
    }
    host.context().poll();
  }
  // The sessions of such waits are closed nevertheless.
  CHECK(observer.run<std::vector<SessionInfo>>([&] { return observer.directory().sessions(); })
            ->empty());
}
