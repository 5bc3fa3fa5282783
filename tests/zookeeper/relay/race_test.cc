#include <atomic>
#include <future>
#include <memory>
#include <string>

#include "tests/support/test.h"
#include "tests/zookeeper/relay/relay_fixture.h"

using namespace locker;
using namespace locker::tests;
using backends::zookeeper::Relay;
using backends::zookeeper::RelayOptions;
using Catch::Matchers::Contains;

TEST_CASE("a client of the relay talks to a server") {
  FakeServer server(answering("hello"));
  const auto relay = start_relay({server.host()});
  const Line client = ask(*relay);
  CHECK(receive_packet(client) == "hello");
  REQUIRE(client.send(packet("more")));
  CHECK(receive_packet(client) == "hello");
  CHECK_FALSE(relay->last_failure().has_value());
}

TEST_CASE("two of three servers that are cut off do not keep a client from the third") {
  const BlackHole one;
  const BlackHole two;
  FakeServer server(answering("hello"));
  const auto relay = start_relay({one.host(), two.host(), server.host()});
  // In every order that the servers may be tried in.
  for (int turn = 0; turn < 12; ++turn) CHECK(answer_of(*relay) == "hello");
}

TEST_CASE("two of three servers that are stopped do not keep a client from the third") {
  for (int turn = 0; turn < 4; ++turn) {
    const StoppedServer one;
    const StoppedServer two;
    FakeServer server(answering("hello"));
    RelayOptions options = relay_to({one.host(), two.host(), server.host()});
    options.dial_timeout = std::chrono::milliseconds(300);
    // A third of it is what one alone is given: longer than this test waits.
    options.session_timeout = relay_bound() * 6;
    const auto relay = start_relay(options);
    CHECK(answer_of(*relay) == "hello");
  }
}

TEST_CASE("a server that hangs up on the session is passed over") {
  FakeServer not_serving([](Line& line) { receive_packet(line); });
  FakeServer gone([](Line&) {});
  FakeServer server(answering("hello"));
  const auto relay = start_relay({not_serving.host(), gone.host(), refusing_host(), server.host()});
  for (int turn = 0; turn < 12; ++turn) CHECK(answer_of(*relay) == "hello");
}

namespace {

// Two servers that never answer whoever comes first, and tell whether the other was asked while the
// first one's connection was open.
struct Rivals {
  std::mutex mutex;
  const Line* first = nullptr;
  std::atomic<bool> both_at_once = false;
  std::atomic<int> asked = 0;

  void serve(Line& line) {
    const std::string session = receive_packet(line);
    if (session.empty()) return;
    ++asked;
    std::unique_lock lock(mutex);
    if (first == nullptr) {
      first = &line;
      lock.unlock();
      line.end();
      return;
    }
    // A reset that is under way arrives; a connection that is kept does not end.
    const auto deadline = std::chrono::steady_clock::now() + relay_bound() / 4;
    while (!first->has_ended() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    both_at_once = !first->has_ended();
    line.send(packet("hello"));
    lock.unlock();
    line.end();
  }
};

}  // namespace

TEST_CASE("a session is never asked for at two servers at once") {
  Rivals rivals;
  const auto script = [&rivals](Line& line) { rivals.serve(line); };
  FakeServer one(script);
  FakeServer two(script);
  const auto relay = start_relay({one.host(), two.host()});
  CHECK(answer_of(*relay) == "hello");
  CHECK(rivals.asked == 2);
  CHECK_FALSE(rivals.both_at_once);
}

TEST_CASE("a slow server is waited for while there is no other") {
  std::promise<void> answer;
  std::shared_future<void> may_answer = answer.get_future().share();
  FakeServer slow([may_answer](Line& line) {
    receive_packet(line);
    may_answer.wait();
    line.send(packet("at last"));
    line.end();
  });
  RelayOptions options = relay_to({slow.host(), refusing_host()});
  options.session_timeout = relay_bound() * 3;
  options.dial_timeout = std::chrono::milliseconds(200);
  const auto relay = start_relay(options);
  const Line client = ask(*relay);
  // Longer than a server is given while another stands ready.
  std::this_thread::sleep_for(options.dial_timeout * 3);
  CHECK_FALSE(client.has_ended());
  answer.set_value();
  CHECK(receive_packet(client) == "at last");
  CHECK(slow.connections() == 1);
}

TEST_CASE("a client that leaves while a server is searched for is not asked for any more") {
  std::promise<void> asked;
  std::promise<Line::End> ended;
  FakeServer stopped([&](Line& line) {
    receive_packet(line);
    asked.set_value();
    ended.set_value(line.end());
  });
  RelayOptions options = relay_to({stopped.host()});
  options.session_timeout = relay_bound() * 10;
  const auto relay = start_relay(options);
  {
    const Line client = ask(*relay);
    REQUIRE(asked.get_future().wait_for(relay_bound()) == std::future_status::ready);
  }
  auto end = ended.get_future();
  REQUIRE(end.wait_for(relay_bound()) == std::future_status::ready);
  CHECK(end.get() == Line::End::reset);
  CHECK_FALSE(relay->last_failure().has_value());
}

TEST_CASE("a server that did not answer is asked last for a while") {
  std::atomic<int> asked = 0;
  FakeServer stopped([&](Line& line) {
    if (!receive_packet(line).empty()) ++asked;
    line.end();
  });
  FakeServer server(answering("hello"));
  const auto relay = start_relay({stopped.host(), server.host()});
  for (int turn = 0; turn < 100 && asked == 0; ++turn) CHECK(answer_of(*relay) == "hello");
  REQUIRE(asked == 1);
  for (int turn = 0; turn < 20; ++turn) CHECK(answer_of(*relay) == "hello");
  CHECK(asked == 1);
}

TEST_CASE("a search without success ends the connection, and says what each server did") {
  const core::UrlHost refusing = refusing_host();
  const BlackHole hole;
  const StoppedServer stopped;
  FakeServer not_serving([](Line& line) { receive_packet(line); });
  RelayOptions options = relay_to({refusing, hole.host(), stopped.host(), not_serving.host()});
  options.dial_timeout = std::chrono::milliseconds(300);
  options.session_timeout = std::chrono::seconds(2);
  const auto relay = start_relay(options);
  const std::string failure = failure_of(*relay);
  const auto name = [](const core::UrlHost& host) {
    return host.name + ":" + std::to_string(*host.port);
  };
  CHECK_THAT(failure, Contains("no ZooKeeper server can be used: "));
  CHECK_THAT(failure, Contains(name(refusing) + " cannot be reached (Connection refused)"));
  CHECK_THAT(failure, Contains(name(hole.host()) + " does not take a connection within 300 ms"));
  CHECK_THAT(failure, Contains(name(stopped.host()) + " takes connections but does not answer"));
  CHECK_THAT(failure,
             Contains(name(not_serving.host()) + " hung up on the session: it is not serving now"));
  CHECK(relay->last_failure()->errc == Errc::unavailable);
}

TEST_CASE("a failure is forgotten once a server answers") {
  std::atomic<bool> serves = false;
  FakeServer server([&](Line& line) {
    if (serves) answering("hello")(line);
  });
  const auto relay = start_relay({server.host()});
  CHECK_THAT(failure_of(*relay), Contains("hung up on the session"));
  serves = true;
  CHECK(answer_of(*relay) == "hello");
  CHECK_FALSE(relay->last_failure().has_value());
}

TEST_CASE("what does not answer as ZooKeeper does is no server") {
  FakeServer web([](Line& line) {
    receive_packet(line);
    line.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  FakeServer tls([](Line& line) {
    receive_packet(line);
    line.send(std::string("\x15\x03\x03\x00\x02\x02\x46", 7));
  });
  const auto to_web = start_relay({web.host()});
  CHECK_THAT(failure_of(*to_web), Contains("does not answer as ZooKeeper does: is that its port?"));
  const auto to_tls = start_relay({tls.host()});
  CHECK_THAT(failure_of(*to_tls), Contains("speaks TLS, and the connection is set to plain TCP"));
}

TEST_CASE("a client that does not speak as one is not served") {
  FakeServer server(answering("hello"));
  const auto relay = start_relay({server.host()});
  const Line endless = Line::connect(relay->port());
  REQUIRE(endless.is_open());
  // A packet of 2 GB and more; the relay ends it before it has taken a part worth mentioning.
  static_cast<void>(endless.send("\x7f\xff\xff\xff" + noise(1 << 20, 1)));
  CHECK(endless.end() != Line::End::never);
  CHECK(server.connections() == 0);
}

TEST_CASE("a relay without servers or ports is not started") {
  CHECK(Relay::start(relay_to({})).error().errc == Errc::config);
  const auto portless = Relay::start(relay_to({{"zk1", std::nullopt}}));
  REQUIRE_FALSE(portless);
  CHECK(portless.error().errc == Errc::config);
  CHECK_THAT(portless.error().message, Contains("zk1"));
}

TEST_CASE("a server on IPv6 is reached") {
  const auto relay = start_relay({{"::1", 1}});
  // Whether the host has it or not, the error names it as a URL does.
  CHECK_THAT(failure_of(*relay), Contains("[::1]:1 cannot be reached"));
}
