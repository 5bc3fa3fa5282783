#include <memory>
#include <string>
#include <vector>

#include "backends/zookeeper/packet_limits.h"
#include "backends/zookeeper/watch_book.h"
#include "tests/support/test.h"
#include "tests/zookeeper/gate.h"
#include "tests/zookeeper/support.h"

namespace locker::tests {

using backends::zookeeper::Flight;
using backends::zookeeper::Handle;
using backends::zookeeper::HandlePtr;
using backends::zookeeper::NodeData;
using backends::zookeeper::NodeKind;
using backends::zookeeper::watch_bytes_limit;
using backends::zookeeper::watch_limit;
using backends::zookeeper::WatchBook;

namespace {

// What was on its way to this handle is here: answers and events of one session keep their order.
void settle(ZookeeperHost& host, const HandlePtr& handle) {
  host.answer(handle->sync("/")).value();
  host.answer(handle->exists("/")).value();
}

boost::asio::awaitable<Result<void>> consume(runtime::EventPtr event) {
  co_await event->wait();
  co_return Result<void>();
}

// Waits for the event, which is clear afterwards.
void heard(ZookeeperHost& host, const runtime::EventPtr& event) {
  host.run<void>([&] { return consume(event); }).value();
}

}  // namespace

TEST_CASE("a watch fires once, on a change and on the end of the node") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const HandlePtr other = host.connect();
  const std::string node = host.folder(handle) + "/node";
  host.answer(other->create(node, "0", NodeKind::ephemeral)).value();
  const runtime::EventPtr changed = host.event();

  CHECK(host.answer(handle->watch(node, changed)).value().data == "0");
  settle(host, handle);
  CHECK(!changed->is_set());
  host.answer(other->set(node, "1")).value();
  heard(host, changed);
  host.answer(other->set(node, "2")).value();
  settle(host, handle);
  CHECK(!changed->is_set());

  CHECK(host.answer(handle->watch(node, changed)).value().data == "2");
  host.answer(other->remove(node)).value();
  heard(host, changed);
  host.answer(other->create(node, "3", NodeKind::ephemeral)).value();
  settle(host, handle);
  CHECK(!changed->is_set());
  host.close(other);
  host.close(handle);
}

TEST_CASE("a missing node is not watched") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::string node = host.folder(handle) + "/node";
  const runtime::EventPtr changed = host.event();
  CHECK(host.answer(handle->watch(node, changed)).error().errc == Errc::not_found);
  host.answer(handle->create(node, "", NodeKind::ephemeral)).value();
  settle(host, handle);
  CHECK(!changed->is_set());
  host.close(handle);
}

TEST_CASE("each who watches a node hears of it") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::string node = host.folder(handle) + "/node";
  host.answer(handle->create(node, "", NodeKind::ephemeral)).value();
  const runtime::EventPtr first = host.event();
  const runtime::EventPtr second = host.event();
  runtime::EventPtr gone = host.event();
  host.answer(handle->watch(node, first)).value();
  host.answer(handle->watch(node, second)).value();
  host.answer(handle->watch(node, gone)).value();
  gone.reset();
  host.answer(handle->remove(node)).value();
  heard(host, first);
  heard(host, second);
  host.close(handle);
}

TEST_CASE("a get in flight keeps its own watch while an older one fires") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::string node = host.folder(handle) + "/node";
  host.answer(handle->create(node, "", NodeKind::ephemeral)).value();
  const runtime::EventPtr first = host.event();
  const runtime::EventPtr second = host.event();
  for (int round = 0; round < 100; ++round) {
    host.answer(handle->watch(node, first)).value();
    auto set = handle->set(node, "");
    auto watched = handle->watch(node, second);
    auto again = handle->set(node, "");
    host.answer(set).value();
    host.answer(watched).value();
    host.answer(again).value();
    heard(host, first);
    heard(host, second);
  }
  host.close(handle);
}

TEST_CASE("as many nodes are watched as one packet names, and one that fired makes room") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::string folder = host.folder(handle);
  const runtime::EventPtr changed = host.event();
  std::vector<Flight<NodeData>> flights;
  for (std::size_t number = 0; number <= watch_limit; ++number) {
    const std::string node = folder + "/" + std::to_string(number);
    handle->create(node, "", NodeKind::ephemeral);
    flights.push_back(handle->watch(node, changed));
  }
  for (std::size_t number = 0; number < watch_limit; ++number) {
    REQUIRE(host.answer(flights[number]));
  }
  const Error error = host.answer(flights[watch_limit]).error();
  CHECK(error.errc == Errc::rate_limited);
  CHECK(!changed->is_set());
  // A node that is watched already costs nothing.
  host.answer(handle->watch(folder + "/0", changed)).value();
  // Neither does one that is not there.
  host.answer(handle->remove(folder + "/7")).value();
  heard(host, changed);
  CHECK(host.answer(handle->watch(folder + "/7", changed)).error().errc == Errc::not_found);
  host.answer(handle->watch(folder + "/" + std::to_string(watch_limit), changed)).value();
  CHECK(host.answer(handle->watch(folder, changed)).error().errc == Errc::rate_limited);
  host.close(handle);
  CHECK(changed->is_set());
}

TEST_CASE("a watch stands through a broken connection, which it tells") {
  ZookeeperHost host;
  Gate gate(test_server());
  auto options = host.options();
  options.servers = gate.address();
  const HandlePtr handle = host.connect(options);
  const HandlePtr other = host.connect();
  const std::string folder = host.folder(other);
  host.answer(other->create(folder + "/a", "", NodeKind::ephemeral)).value();
  host.answer(other->create(folder + "/b", "", NodeKind::ephemeral)).value();
  const runtime::EventPtr first = host.event();
  const runtime::EventPtr second = host.event();
  const runtime::EventPtr contact = host.event();
  host.answer(handle->watch(folder + "/a", first)).value();
  host.answer(handle->watch(folder + "/b", second)).value();
  handle->on_contact(contact);

  gate.cut();
  CHECK(host.until([&] { return !handle->in_contact(); }));
  heard(host, contact);
  heard(host, first);
  heard(host, second);
  // Missed while the line is cut, and told when it is there again.
  host.answer(other->set(folder + "/a", "1")).value();
  gate.open();
  CHECK(host.until([&] { return handle->in_contact(); }));
  heard(host, contact);
  settle(host, handle);
  heard(host, first);
  heard(host, second);
  // Still there, without having been asked for again.
  host.answer(other->set(folder + "/b", "1")).value();
  heard(host, second);
  settle(host, handle);
  CHECK(!first->is_set());
  host.close(other);
  host.close(handle);
}

TEST_CASE("the book counts nodes, not those who ask") {
  ZookeeperHost host;
  WatchBook book;
  const runtime::EventPtr event = host.event();
  const std::uint64_t ticket = book.ask("/a", 1, event).value();
  CHECK(book.ask("/a", 2, event).value() == ticket);
  CHECK(book.count() == 1);
  CHECK(book.bytes() == 6);
  // The first get failed, so the second alone stands.
  book.answered(ticket, 1, false);
  CHECK(book.count() == 1);
  book.answered(ticket, 2, true);
  // Neither an answer nor a ticket that is not known does anything.
  book.answered(ticket, 2, false);
  book.answered(77, 1, true);
  book.fired(77);
  CHECK(!event->is_set());
  book.shake();
  CHECK(event->is_set());
  CHECK(book.count() == 1);
  book.fired(ticket);
  CHECK(book.count() == 0);
  CHECK(book.bytes() == 0);
  book.fired(ticket);

  const std::string longest(watch_bytes_limit / 2 - 4, 'x');
  CHECK(book.ask(longest + "1", 3, event));
  CHECK(book.ask(longest + "2", 4, event).error().errc == Errc::rate_limited);
  book.clear();
  CHECK(book.ask(longest + "2", 5, event));
}

TEST_CASE("a ticket outlives the watch that it replaces") {
  ZookeeperHost host;
  WatchBook book;
  const runtime::EventPtr first = host.event();
  const runtime::EventPtr second = host.event();
  const std::uint64_t ticket = book.ask("/a", 1, first).value();
  book.answered(ticket, 1, true);
  book.ask("/a", 2, second).value();
  // The server fired before it read the second get, so that one's watch is yet to stand.
  book.fired(ticket);
  CHECK(first->is_set());
  CHECK(!second->is_set());
  book.answered(ticket, 2, true);
  book.fired(ticket);
  CHECK(second->is_set());
  CHECK(book.count() == 0);
}

}  // namespace locker::tests
