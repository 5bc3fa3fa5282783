// Stands between ZooKeeper's clients and their server, and makes every byte late by the same time
// in each direction. It holds back whatever is under way, so it limits no throughput. It also reads
// along, and counts what passes by kind.
//
// usage: latency_proxy HOST:PORT MICROSECONDS
//
// Listens on a free port of 127.0.0.1 and prints `{"port": N}`. For each line on the standard input
// it prints one line of JSON with the counts since the last; at its end it ends.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/packet_counter.h"

namespace {

using locker::bench::PacketCounter;
using locker::bench::Sender;
using Time = std::chrono::steady_clock::time_point;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

// What was read from one end and is not yet written to the other.
struct Delayed {
  Time due;
  std::string bytes;
};

// One direction of one connection.
struct Direction {
  int from = -1;
  int to = -1;
  PacketCounter counter;
  std::deque<Delayed> under_way;
  bool closed = false;  // nothing more comes

  Direction(int from_socket, int to_socket, Sender sender)
      : from(from_socket), to(to_socket), counter(sender) {}
};

int new_socket() {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) fail("socket");
  return made;
}

sockaddr_in address_of(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) fail("the address");
  return address;
}

const sockaddr* plain(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

void send_at_once(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

class LatencyProxy {
 public:
  LatencyProxy(sockaddr_in server, std::chrono::microseconds latency)
      : server_(server), latency_(latency), listener_(new_socket()), poll_(epoll_create1(0)) {
    const sockaddr_in own = address_of("127.0.0.1", 0);
    if (bind(listener_, plain(own), sizeof own) != 0) fail("bind");
    if (listen(listener_, SOMAXCONN) != 0) fail("listen");
    expect(listener_);
    expect(STDIN_FILENO);
  }

  int port() const {
    sockaddr_in own{};
    socklen_t bytes = sizeof own;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&own), &bytes);
    return ntohs(own.sin_port);
  }

  void run() {
    std::array<epoll_event, 64> events{};
    while (!over_) {
      const std::optional<timespec> wait = until_next();
      const int count = epoll_pwait2(poll_, events.data(), static_cast<int>(events.size()),
                                     wait ? &*wait : nullptr, nullptr);
      if (count < 0 && errno != EINTR) fail("epoll");
      for (int i = 0; i < count; ++i) answer(events[static_cast<std::size_t>(i)].data.fd);
      pass_on();
    }
  }

 private:
  void expect(int descriptor) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    if (epoll_ctl(poll_, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll_ctl");
  }

  std::optional<timespec> until_next() const {
    std::optional<Time> next;
    for (const auto& [socket, direction] : directions_) {
      const auto& queue = direction->under_way;
      if (!queue.empty() && (!next || queue.front().due < *next)) next = queue.front().due;
    }
    if (!next) return std::nullopt;
    const std::chrono::nanoseconds left =
        std::max(*next - std::chrono::steady_clock::now(), std::chrono::nanoseconds(0));
    constexpr std::int64_t second_ns = 1'000'000'000;
    return timespec{left.count() / second_ns, left.count() % second_ns};
  }

  void answer(int descriptor) {
    if (descriptor == listener_) return take_in();
    if (descriptor == STDIN_FILENO) return obey();
    const auto found = directions_.find(descriptor);
    if (found != directions_.end()) read(*found->second);
  }

  void take_in() {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = new_socket();
    if (connect(server, plain(server_), sizeof server_) != 0) fail("the server");
    send_at_once(client);
    send_at_once(server);
    directions_.emplace(client, std::make_unique<Direction>(client, server, Sender::client));
    directions_.emplace(server, std::make_unique<Direction>(server, client, Sender::server));
    expect(client);
    expect(server);
  }

  // A line asks for the counts, the end for the end.
  void obey() {
    std::array<char, 256> text{};
    const ssize_t bytes = ::read(STDIN_FILENO, text.data(), text.size());
    over_ = bytes <= 0;
    for (ssize_t i = 0; i < bytes; ++i) {
      if (text[static_cast<std::size_t>(i)] == '\n') tell();
    }
  }

  void tell() {
    std::map<std::string, std::int64_t> all;
    for (auto& [socket, direction] : directions_) direction->counter.move_to(all);
    for (const auto& [kind, count] : ended_) all[kind] += count;
    ended_.clear();
    std::string line;
    for (const auto& [kind, count] : all) {
      line += (line.empty() ? "" : ", ") + ("\"" + kind + "\": ") + std::to_string(count);
    }
    std::printf("{%s}\n", line.c_str());
    std::fflush(stdout);
  }

  void read(Direction& direction) const {
    constexpr std::size_t at_most = 1 << 16;
    std::string bytes(at_most, '\0');
    const ssize_t got = ::read(direction.from, bytes.data(), bytes.size());
    if (got <= 0) {
      direction.closed = true;
      epoll_ctl(poll_, EPOLL_CTL_DEL, direction.from, nullptr);
      bytes.clear();
    } else {
      bytes.resize(static_cast<std::size_t>(got));
      direction.counter.read(bytes);
    }
    direction.under_way.push_back({std::chrono::steady_clock::now() + latency_, std::move(bytes)});
  }

  void pass_on() {
    const Time now = std::chrono::steady_clock::now();
    std::vector<int> over;
    for (auto& [socket, direction] : directions_) {
      auto& queue = direction->under_way;
      while (!queue.empty() && queue.front().due <= now) {
        if (!write(*direction, queue.front().bytes)) over.push_back(socket);
        queue.pop_front();
      }
    }
    for (const int socket : over) end(socket);
  }

  // False where the connection is over: its end was reached, or nobody reads any more.
  static bool write(const Direction& direction, const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t wrote =
          send(direction.to, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (wrote <= 0) return false;
      done += static_cast<std::size_t>(wrote);
    }
    return !bytes.empty();
  }

  // Both directions of a connection, whichever ended first.
  void end(int socket) {
    const auto found = directions_.find(socket);
    if (found == directions_.end()) return;
    for (const int each : {found->second->to, socket}) {
      directions_.at(each)->counter.move_to(ended_);
      directions_.erase(each);
      close(each);
    }
  }

  sockaddr_in server_;
  std::chrono::microseconds latency_;
  int listener_;
  int poll_;
  bool over_ = false;
  std::map<int, std::unique_ptr<Direction>> directions_;  // by the socket that is read
  std::map<std::string, std::int64_t> ended_;             // what ended connections had counted
};

}  // namespace

int main(int count, char** words) {
  const std::string server = count == 3 ? words[1] : "";
  const std::size_t colon = server.rfind(':');
  if (colon == std::string::npos) {
    return std::fputs("usage: latency_proxy HOST:PORT MICROSECONDS\n", stderr), 64;
  }
  LatencyProxy proxy(address_of(server.substr(0, colon), std::atoi(server.c_str() + colon + 1)),
                     std::chrono::microseconds(std::atol(words[2])));
  std::printf("{\"port\": %d}\n", proxy.port());
  std::fflush(stdout);
  proxy.run();
}
