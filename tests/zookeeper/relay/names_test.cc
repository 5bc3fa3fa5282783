#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tests/support/test.h"
#include "tests/zookeeper/relay/relay_fixture.h"

using namespace locker;
using namespace locker::tests;
using backends::zookeeper::RelayOptions;
using boost::asio::ip::make_address;
using Catch::Matchers::Contains;
using Addresses = std::vector<boost::asio::ip::address>;

namespace {

// What the look-ups of a relay answer; threads that nobody waits for may use it after a test.
struct Names {
  std::mutex mutex;
  std::condition_variable changed;
  Result<Addresses> answer = Addresses{};
  bool hangs = false;
  int asked = 0;

  void set(Result<Addresses> next) {
    const std::scoped_lock lock(mutex);
    answer = std::move(next);
  }
  void go_on() {
    const std::scoped_lock lock(mutex);
    hangs = false;
    changed.notify_all();
  }
  int count() {
    const std::scoped_lock lock(mutex);
    return asked;
  }
};
using NamesPtr = std::shared_ptr<Names>;

RelayOptions by_name(const NamesPtr& names, std::uint16_t port) {
  RelayOptions options = relay_to({{"zk.example", port}});
  options.look_up = [names](const std::string& name) -> Result<Addresses> {
    std::unique_lock lock(names->mutex);
    ++names->asked;
    names->changed.wait(lock, [&] { return !names->hangs; });
    if (name != "zk.example") return make_error(Errc::internal, "another name: " + name);
    return names->answer;
  };
  return options;
}

}  // namespace

TEST_CASE("all addresses of a name are tried") {
  FakeServer server(answering("hello"));
  const auto names = std::make_shared<Names>();
  // Nobody listens on the first two.
  names->set(Addresses{make_address("127.0.0.2"), make_address("::1"), make_address("127.0.0.1")});
  const auto relay = start_relay(by_name(names, server.port()));
  CHECK(answer_of(*relay) == "hello");
  CHECK(answer_of(*relay) == "hello");
  // What is known is used, not asked for each time.
  CHECK(names->count() <= 2);
}

TEST_CASE("a name that moves is found again after a failure") {
  FakeServer server(answering("hello"));
  const auto names = std::make_shared<Names>();
  names->set(Addresses{make_address("127.0.0.2")});
  const auto relay = start_relay(by_name(names, server.port()));
  CHECK_THAT(failure_of(*relay), Contains("zk.example:" + std::to_string(server.port()) +
                                          " cannot be reached (Connection refused)"));
  names->set(Addresses{make_address("127.0.0.1")});
  std::string answer;
  for (int turn = 0; turn < 200 && answer.empty(); ++turn) answer = answer_of(*relay);
  CHECK(answer == "hello");
}

TEST_CASE("a name without an address is told, and looked up again") {
  FakeServer server(answering("hello"));
  const auto names = std::make_shared<Names>();
  names->set(make_error(Errc::unavailable, "cannot be resolved (no such name)"));
  const auto relay = start_relay(by_name(names, server.port()));
  CHECK_THAT(failure_of(*relay), Contains("zk.example:" + std::to_string(server.port()) +
                                          " cannot be resolved (no such name)"));
  names->set(Addresses{});
  std::string failure;
  for (int turn = 0; turn < 200 && failure.find("has no address") == std::string::npos; ++turn) {
    failure = failure_of(*relay);
  }
  CHECK_THAT(failure, Contains("has no address"));
  names->set(Addresses{make_address("127.0.0.1")});
  std::string answer;
  for (int turn = 0; turn < 200 && answer.empty(); ++turn) answer = answer_of(*relay);
  CHECK(answer == "hello");
}

TEST_CASE("a name server that fails does not take away what is known") {
  FakeServer server([](Line& line) { receive_packet(line); });
  const auto names = std::make_shared<Names>();
  names->set(Addresses{make_address("127.0.0.1")});
  const auto relay = start_relay(by_name(names, server.port()));
  CHECK_THAT(failure_of(*relay), Contains("hung up on the session"));
  names->set(make_error(Errc::unavailable, "cannot be resolved"));
  const int asked = names->count();
  for (int turn = 0; turn < 200 && names->count() < asked + 3; ++turn) {
    CHECK_THAT(failure_of(*relay), Contains("hung up on the session"));
  }
  CHECK(names->count() >= asked + 3);
}

TEST_CASE("a silent name server holds up neither the other servers nor the end") {
  FakeServer server(answering("hello"));
  const auto names = std::make_shared<Names>();
  names->hangs = true;
  {
    RelayOptions options = by_name(names, 1);
    options.servers.push_back(server.host());
    const auto relay = start_relay(options);
    for (int turn = 0; turn < 4; ++turn) CHECK(answer_of(*relay) == "hello");
    CHECK(names->count() == 1);
  }
  names->go_on();
}

TEST_CASE("a name that is found late is tried although others have been found before") {
  std::atomic<int> connected = 0;
  const auto never_answers = [&](Line& line) {
    ++connected;
    line.end();
  };
  FakeServer one(never_answers);
  FakeServer two(never_answers);
  FakeServer server(answering("hello"));
  const auto names = std::make_shared<Names>();
  names->hangs = true;
  RelayOptions options = by_name(names, server.port());
  options.servers.push_back(one.host());
  options.servers.push_back(two.host());
  options.dial_timeout = relay_bound() / 4;
  options.session_timeout = relay_bound();
  const auto relay = start_relay(options);
  const Line client = ask(*relay);
  const auto deadline = std::chrono::steady_clock::now() + relay_bound();
  while (connected < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  // After the last start, and the time that the next would have been due.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  names->set(Addresses{make_address("127.0.0.1")});
  names->go_on();
  CHECK(receive_packet(client) == "hello");
}

TEST_CASE("a name server that stays silent is a failure that is told") {
  const auto names = std::make_shared<Names>();
  names->hangs = true;
  {
    RelayOptions options = by_name(names, 1);
    options.dial_timeout = std::chrono::milliseconds(100);
    const auto relay = start_relay(options);
    CHECK_THAT(failure_of(*relay), Contains("its name is still being looked up"));
  }
  names->go_on();
}

TEST_CASE("a relay may end at any moment of a look-up") {
  const auto names = std::make_shared<Names>();
  for (int turn = 0; turn < 300; ++turn) {
    const auto relay = start_relay(by_name(names, 1));
    // Some end before it is asked, some before it is answered, some after.
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(turn);
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }
  CHECK(names->count() <= 300);
}

TEST_CASE("the system's resolver finds this host, and says what it does not find") {
  FakeServer server(answering("hello"));
  const auto relay = start_relay({{"localhost", server.port()}});
  CHECK(answer_of(*relay) == "hello");
  RelayOptions nowhere = relay_to({{"no-such-host.invalid", 2181}});
  nowhere.dial_timeout = relay_bound() / 4;
  const auto lost = start_relay(nowhere);
  CHECK_THAT(failure_of(*lost), Contains("no-such-host.invalid:2181 "));
}
