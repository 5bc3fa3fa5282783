#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "tests/support/test.h"
#include "tests/zookeeper/relay/relay_fixture.h"

using namespace locker;
using namespace locker::tests;
using Catch::Matchers::Contains;

namespace {

// In a forked child: nothing but system calls. Connects, sends, and tells by its exit code whether
// the connection ended without an answer.
int stranger(sockaddr_in address) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const void* target = &address;
  if (::connect(socket, static_cast<const sockaddr*>(target), sizeof address) != 0) return 2;
  // Refused already or not: what counts is that nothing comes back.
  static_cast<void>(::send(socket, "\0\0\0\1x", 5, MSG_NOSIGNAL));
  char answer = 0;
  return ::recv(socket, &answer, 1, 0) > 0 ? 1 : 0;
}

// The one by which they are listed among them.
std::set<int> descriptors() {
  std::set<int> open;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int number = std::stoi(each.path().filename());
    if (::fcntl(number, F_GETFD) >= 0) open.insert(number);
  }
  return open;
}

// The blocked signals of each thread, as the kernel writes them.
std::map<std::string, std::string> blocked_signals() {
  std::map<std::string, std::string> masks;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(each.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("SigBlk:")) masks[each.path().filename()] = line.substr(8);
    }
  }
  return masks;
}

}  // namespace

TEST_CASE("another process's connection is refused, and no server hears of it") {
  FakeServer server(answering("hello"));
  const auto relay = start_relay({server.host()});
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(relay->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(stranger(address));
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(relay->strangers() == 1);
  CHECK(server.connections() == 0);
  CHECK(answer_of(*relay) == "hello");
  CHECK(relay->strangers() == 1);
  CHECK_FALSE(relay->last_failure().has_value());
}

TEST_CASE("no descriptor of a relay is handed on to programs, and none is left behind") {
  FakeServer server(answering("hello"));
  FakeServer stopped(silent);
  const BlackHole hole;
  const std::set<int> before = descriptors();
  {
    const auto relay = start_relay({server.host(), stopped.host(), hole.host()});
    std::vector<Line> clients;
    for (int count = 0; count < 5; ++count) {
      clients.push_back(ask(*relay));
      CHECK(receive_packet(clients.back()) == "hello");
    }
    int added = 0;
    for (const int number : descriptors()) {
      if (before.contains(number)) continue;
      ++added;
      CHECK((::fcntl(number, F_GETFD) & FD_CLOEXEC) != 0);
    }
    // Of each connection: the client's, the relay's two, and the server's.
    CHECK(added >= 5 * 4);
  }
  const auto deadline = std::chrono::steady_clock::now() + relay_bound();
  while (descriptors().size() != before.size() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  CHECK(descriptors().size() == before.size());
}

TEST_CASE("no signal is ever delivered to a relay's thread") {
  const auto before = blocked_signals();
  FakeServer server(answering("hello"));
  auto options = relay_to({{"server.example", server.port()}});
  std::string resolving_thread_mask;
  options.look_up = [&](const std::string&) {
    std::ifstream status("/proc/thread-self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("SigBlk:")) resolving_thread_mask = line.substr(8);
    }
    return std::vector{boost::asio::ip::make_address("127.0.0.1")};
  };
  const auto with_server = blocked_signals();
  const auto relay = start_relay(options);
  CHECK(answer_of(*relay) == "hello");
  // All but SIGKILL, SIGSTOP and the two that the C library keeps for itself.
  const std::string all = "fffffffe7ffbfeff";
  int added = 0;
  for (const auto& [thread, mask] : blocked_signals()) {
    if (with_server.contains(thread) || mask == before.begin()->second) continue;
    ++added;
    CHECK(mask == all);
  }
  CHECK(added == 1);
  CHECK(resolving_thread_mask == all);
}

TEST_CASE("without a descriptor for a client the relay says so, and goes on later") {
  FakeServer server(answering("hello"));
  const auto relay = start_relay({server.host()});
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  Line client = ask(*relay);
  CHECK(receive_packet(client) == "hello");
  // The system gives the lowest number that is free: this one is the last that there is.
  Line next(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const rlimit tight{static_cast<rlim_t>(next.number()) + 1, limit.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(relay->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const void* target = &address;
  const int connected =
      ::connect(next.number(), static_cast<const sockaddr*>(target), sizeof address);
  const auto deadline = std::chrono::steady_clock::now() + relay_bound();
  while (!relay->last_failure().has_value() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  const auto failure = relay->last_failure();
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(connected == 0);
  REQUIRE(failure.has_value());
  CHECK(failure->code == "no_descriptor");
  REQUIRE(next.send(packet("session")));
  CHECK(receive_packet(next) == "hello");
}
