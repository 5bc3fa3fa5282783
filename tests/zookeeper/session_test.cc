#include <fcntl.h>
#include <sys/socket.h>
#include <csignal>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/zookeeper/packet_limits.h"
#include "backends/zookeeper/server_list.h"
#include "tests/support/test.h"
#include "tests/zookeeper/gate.h"
#include "tests/zookeeper/refusing_server.h"
#include "tests/zookeeper/support.h"

namespace locker::tests {

using backends::zookeeper::Access;
using backends::zookeeper::client_servers;
using backends::zookeeper::Created;
using backends::zookeeper::CreateOperation;
using backends::zookeeper::Flight;
using backends::zookeeper::flight_limit;
using backends::zookeeper::Handle;
using backends::zookeeper::HandlePtr;
using backends::zookeeper::NodeKind;
using backends::zookeeper::Operation;
using backends::zookeeper::OperationAnswer;
using backends::zookeeper::RemoveOperation;
using backends::zookeeper::SetOperation;
using backends::zookeeper::Stat;

namespace {

// Watches a node until it is gone.
void gone(ZookeeperHost& host, const HandlePtr& handle, const std::string& node) {
  const runtime::EventPtr changed = host.event();
  while (host.answer(handle->watch(node, changed))) {
    REQUIRE(host.until([&] { return changed->is_set(); }));
    host.run<void>([&]() -> boost::asio::awaitable<Result<void>> {
          co_await changed->wait();
          co_return Result<void>();
        })
        .value();
  }
}

// Waits for what never happens, and then closes.
boost::asio::awaitable<void> use_for_ever(HandlePtr handle) {
  auto flight = handle->exists("/");
  const Result<Stat> first = co_await flight.answer();
  const auto executor = co_await boost::asio::this_coro::executor;
  const runtime::EventPtr never = std::make_shared<runtime::Event>(executor);
  co_await never->wait();
  co_await handle->close();
}

// The lines of the threads' signal masks.
std::vector<std::string> masks_of_client_threads() {
  std::vector<std::string> masks;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    std::string name;
    std::getline(status, name);
    if (name.find("zookeeper-") == std::string::npos) continue;
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("SigBlk:")) masks.push_back(line);
    }
  }
  return masks;
}

// The descriptors of TCP connections that a child would inherit.
int inherited_sockets() {
  int count = 0;
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    const int flags = ::fcntl(descriptor, F_GETFD);
    sockaddr_storage peer{};
    socklen_t size = sizeof(peer);
    if (flags < 0 || (flags & FD_CLOEXEC) != 0) continue;
    if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.ss_family == AF_INET || peer.ss_family == AF_INET6) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("a cut line leaves outcomes unknown, and the session goes on") {
  ZookeeperHost host;
  Gate gate(test_server());
  auto options = host.options();
  options.servers = gate.address();
  const HandlePtr handle = host.connect(options);
  const HandlePtr other = host.connect();
  const std::string node = host.folder(other) + "/node";

  gate.keep_replies();
  Flight<Created> flight = handle->create(node, "", NodeKind::ephemeral);
  Flight<std::vector<OperationAnswer>> multi = handle->multi({RemoveOperation{node + "/missing"}});
  while (!host.answer(other->exists(node))) {
  }
  gate.cut();
  const Error error = host.answer(flight).error();
  CHECK(error.errc == Errc::unavailable);
  CHECK(error.code == "unavailable");
  CHECK(host.answer(multi).error().code == "unavailable");
  CHECK(!handle->over());
  gate.open();
  CHECK(host.until([&] { return handle->in_contact(); }));
  CHECK(host.answer(handle->exists(node)).value().session == handle->session_id());
  host.close(handle);
  gone(host, other, node);
  host.close(other);
}

TEST_CASE("an expired session is over, and lost") {
  ZookeeperHost host;
  Gate gate(test_server());
  auto options = host.options();
  options.servers = gate.address();
  options.session_timeout = std::chrono::milliseconds(1000);
  const HandlePtr handle = host.connect(options);
  const HandlePtr other = host.connect();
  const std::string node = host.folder(other) + "/node";
  host.answer(handle->create(node, "", NodeKind::ephemeral)).value();
  const runtime::EventPtr over = host.event();
  const runtime::EventPtr changed = host.event();
  handle->on_over(over);
  host.answer(handle->watch(node, changed)).value();

  gate.cut();
  gone(host, other, node);
  CHECK(!over->is_set());
  gate.open();
  CHECK(host.until([&] { return over->is_set(); }));
  CHECK(changed->is_set());
  CHECK(handle->over()->errc == Errc::lost);
  CHECK(!handle->in_contact());
  CHECK(host.answer(handle->get(node)).error().errc == Errc::lost);
  CHECK(host.connected(handle, liveness_bound()).error().errc == Errc::lost);
  const runtime::EventPtr late = host.event();
  handle->on_over(late);
  CHECK(late->is_set());
  host.close(handle);
  host.close(other);
}

// The client crashes on a multi of two operations that it is given between the moment when it hears
// that the session has expired and the moment when we hear of it.
TEST_CASE("a multi survives the moment in which the session expires") {
  ZookeeperHost host;
  Gate gate(test_server());
  auto options = host.options();
  options.servers = gate.address();
  options.session_timeout = std::chrono::milliseconds(1000);
  const HandlePtr handle = host.connect(options);
  const HandlePtr other = host.connect();
  const std::string node = host.folder(other) + "/node";
  host.answer(handle->create(node, "", NodeKind::ephemeral)).value();
  gate.cut();
  gone(host, other, node);
  gate.open();
  const std::vector<Operation> operations{RemoveOperation{node}, RemoveOperation{node}};
  std::vector<Flight<std::vector<OperationAnswer>>> flights;
  const runtime::Deadline deadline = host.clock()->after(liveness_bound());
  while (!handle->over() && host.clock()->now() < deadline.at) {
    flights.push_back(handle->multi(operations));
    host.context().restart();
    host.context().poll();
  }
  REQUIRE(handle->over());
  std::set<Errc> errors;
  for (auto& flight : flights) errors.insert(host.answer(flight).error().errc);
  CHECK(handle->over()->errc == Errc::lost);
  errors.erase(Errc::lost);
  CHECK(errors == std::set<Errc>{Errc::unavailable});
  host.close(handle);
  host.close(other);
}

TEST_CASE("a handle that is dropped ends its session") {
  ZookeeperHost host;
  const HandlePtr other = host.connect();
  const std::string node = host.folder(other) + "/node";
  auto options = host.options();
  // Longer than anything here waits: the node goes with the session, not with its time-out.
  options.session_timeout = std::chrono::minutes(10);
  HandlePtr handle = host.connect(options);
  const std::chrono::milliseconds granted = handle->timeout();
  host.answer(handle->create(node, "", NodeKind::ephemeral)).value();
  Flight<Stat> flight = handle->exists("/");
  handle.reset();
  const runtime::SteadyTime dropped = host.clock()->now();
  CHECK(host.answer(flight).error().errc == Errc::lost);
  gone(host, other, node);
  CHECK(host.clock()->now() - dropped < granted);
  host.close(other);
}

TEST_CASE("multis in flight are lost with the handle") {
  ZookeeperHost host;
  HandlePtr handle = host.connect();
  const std::string node = host.folder(handle) + "/node";
  const std::vector<Operation> operations{CreateOperation{node, "", NodeKind::ephemeral},
                                          SetOperation{node, "x"}, RemoveOperation{node}};
  std::vector<Flight<std::vector<OperationAnswer>>> flights;
  for (int number = 0; number < 2000; ++number) flights.push_back(handle->multi(operations));
  handle.reset();
  for (auto& flight : flights) CHECK(host.answer(flight).error().errc == Errc::lost);
}

TEST_CASE("a handle that never connected is closed and dropped") {
  ZookeeperHost host;
  auto options = host.options();
  options.servers = "127.0.0.1:1";
  host.close(Handle::start(options).value());
  const HandlePtr handle = Handle::start(options).value();
  CHECK(host.answer(handle->get("/")).error().errc == Errc::unavailable);
}

TEST_CASE("a name without an address is told at once") {
  ZookeeperHost host;
  auto options = host.options();
  // A label that is too long for the name service to be asked.
  options.servers = std::string(64, 'x') + ".invalid:2181";
  const HandlePtr handle = Handle::start(options).value();
  const Error error = host.connected(handle, liveness_bound(3)).error();
  CHECK(error.errc == Errc::unavailable);
  CHECK(error.message.find(options.servers) != std::string::npos);
  host.close(handle);
}

TEST_CASE("a list of servers that the client would misread is refused") {
  CHECK(client_servers("a:1,[::1]:65535").value() == "a:1,::1:65535");
  for (const char* text : {"", "a", "a:", ":1", "a:0", "a:65536", "a:1,", ",a:1", "a:1/b", "a:0x1",
                           "a:-1", "[]:1", "a b:1"}) {
    INFO(text);
    CHECK(client_servers(text).error().code == "bad_servers");
  }
}

TEST_CASE("nodes with an identity refuse strangers") {
  ZookeeperHost host;
  auto options = host.options();
  options.identity.digest = "locker:secret";
  // The hash of "friend:word".
  options.identity.also = {"digest:friend:fxBEEpgg4oegWvtw2mJ9I9i+NXg="};
  options.identity.readers = {"world:anyone"};
  const HandlePtr owner = host.connect(options);
  const HandlePtr stranger = host.connect();
  const std::string folder = host.folder(stranger);
  const std::string shared = folder + "/shared";
  const std::string own = folder + "/own";
  host.answer(owner->create(shared, "", NodeKind::persistent, Access::shared)).value();
  host.answer(owner->create(own, "", NodeKind::persistent, Access::own)).value();

  const std::string list = host.answer(owner->access_list(shared)).value();
  INFO(list);
  CHECK(list.find("digest:locker:") == 0);
  CHECK(list.find("=rwcda,digest:friend:fxBEEpgg4oegWvtw2mJ9I9i+NXg==rwcda,world:anyone=r") !=
        std::string::npos);
  CHECK(host.answer(owner->access_list(own))
            .value()
            .find("friend:fxBEEpgg4oegWvtw2mJ9I9i+NXg==r,world:anyone=r") != std::string::npos);
  CHECK(host.answer(stranger->get(shared)));
  CHECK(host.answer(stranger->set(shared, "x")).error().errc == Errc::unauthorized);
  CHECK(host.answer(stranger->create(shared + "/x", "", NodeKind::ephemeral)).error().errc ==
        Errc::unauthorized);
  const auto multi = host.answer(stranger->multi({SetOperation{own, "x"}}));
  CHECK(multi.error().errc == Errc::unauthorized);
  CHECK(!stranger->over());

  auto friendly = host.options();
  friendly.identity.digest = "friend:word";
  const HandlePtr friend_of_owner = host.connect(friendly);
  CHECK(host.answer(friend_of_owner->set(shared, "x")));
  CHECK(host.answer(friend_of_owner->set(own, "x")).error().errc == Errc::unauthorized);
  host.close(friend_of_owner);
  host.close(stranger);
  host.close(owner);
}

TEST_CASE("an identity stands through a broken connection") {
  ZookeeperHost host;
  Gate gate(test_server());
  auto options = host.options();
  options.servers = gate.address();
  options.identity.digest = "locker:secret";
  const HandlePtr handle = host.connect(options);
  const HandlePtr other = host.connect();
  const std::string node = host.folder(other) + "/node";
  host.answer(handle->create(node, "", NodeKind::persistent, Access::own)).value();
  gate.cut();
  CHECK(host.until([&] { return !handle->in_contact(); }));
  gate.open();
  CHECK(host.until([&] { return handle->in_contact(); }));
  CHECK(host.answer(handle->set(node, "x")));
  host.close(other);
  host.close(handle);
}

TEST_CASE("an identity that the server refuses ends the session") {
  ZookeeperHost host;
  const RefusingServer server;
  auto options = host.options();
  options.servers = server.address();
  options.identity.digest = "locker:secret";
  const HandlePtr handle = Handle::start(options).value();
  const runtime::EventPtr over = host.event();
  handle->on_over(over);
  CHECK(host.connected(handle, liveness_bound()).error().errc == Errc::unauthorized);
  CHECK(over->is_set());
  CHECK(handle->over()->errc == Errc::unauthorized);
  host.close(handle);
}

TEST_CASE("an identity that can't be one is a setting that is wrong") {
  ZookeeperHost host;
  auto options = host.options();
  options.identity.digest = "locker";
  CHECK(Handle::start(options).error().code == "bad_identity");
  options.identity.digest = "locker:secret";
  options.identity.also = {"digest"};
  CHECK(Handle::start(options).error().code == "bad_identity");
  options.identity.also = {};
  options.identity.readers = {":x"};
  CHECK(Handle::start(options).error().code == "bad_identity");
}

TEST_CASE("the client's threads get no signals, and its sockets go to no child") {
  ZookeeperHost host;
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  CHECK(sigismember(&before, SIGTERM) == 0);
  const HandlePtr handle = host.connect();
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  CHECK(sigismember(&after, SIGTERM) == 0);
  const std::vector<std::string> masks = masks_of_client_threads();
  CHECK(masks.size() == 3);
  for (const std::string& mask : masks) {
    // All but the two that can't be blocked and the C library's own two.
    CHECK(mask.find("fffffffe7ffbfeff") != std::string::npos);
  }
  CHECK(inherited_sockets() == 0);
  host.close(handle);
  CHECK(masks_of_client_threads().empty());
}

TEST_CASE("a container goes after its last child") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::string node = host.folder(handle) + "/container";
  host.answer(handle->create(node, "", NodeKind::container)).value();
  host.answer(handle->create(node + "/child", "", NodeKind::ephemeral)).value();
  host.answer(handle->remove(node + "/child")).value();
  gone(host, handle, node);
  host.close(handle);
}

TEST_CASE("more requests than the client can hold are refused") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  std::vector<Flight<Stat>> flights;
  for (std::size_t number = 0; number < flight_limit + 10; ++number) {
    flights.push_back(handle->exists("/"));
  }
  std::size_t refused = 0;
  for (Flight<Stat>& flight : flights) {
    const Result<Stat> result = host.answer(flight);
    if (result) continue;
    CHECK(result.error().errc == Errc::rate_limited);
    ++refused;
  }
  CHECK(refused == 10);
  CHECK(host.answer(handle->exists("/")));
  host.close(handle);
}

TEST_CASE("nothing comes after the close, and everything with the end of the runtime") {
  {
    ZookeeperHost host;
    host.close(host.connect());
    host.context().restart();
    // No work is left, neither now nor later.
    CHECK(host.context().run() == 0);
    for (int number = 0; number < 10; ++number) {
      const HandlePtr handle = host.connect();
      boost::asio::co_spawn(host.context(), use_for_ever(handle), boost::asio::detached);
      host.context().poll();
    }
  }
}

TEST_CASE("many handles at once keep apart") {
  ZookeeperHost host;
  std::vector<HandlePtr> handles;
  std::vector<Flight<Created>> flights;
  const HandlePtr first = host.connect();
  const std::string folder = host.folder(first);
  for (int number = 0; number < 20; ++number) {
    handles.push_back(host.connect());
    const std::string node = folder + "/" + std::to_string(number);
    flights.push_back(handles.back()->create(node, "", NodeKind::ephemeral));
  }
  for (std::size_t number = 0; number < handles.size(); ++number) {
    CHECK(host.answer(flights[number]).value().stat.session == handles[number]->session_id());
  }
  for (const HandlePtr& handle : handles) host.close(handle);
  CHECK(host.answer(first->children(folder)).value().empty());
  host.close(first);
}

}  // namespace locker::tests
