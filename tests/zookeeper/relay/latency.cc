// What the relay costs: round trips and streams with it and without. Not a test; prints a table.
//
//   certificates.py -- zookeeper_relay_latency                       echoes on loopback
//   with_tls_zookeeper.py -- zookeeper_relay_latency                 and a real server's answers

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/test.h"
#include "tests/zookeeper/relay/relay_fixture.h"
#include "tests/zookeeper/relay/tls_server.h"
#include "tests/zookeeper/support.h"

using namespace locker;
using namespace locker::tests;
using namespace locker::backends::zookeeper;
using Clock = std::chrono::steady_clock;

namespace {

double microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

void print_round_trips(const char* what, int count, const std::function<void()>& once) {
  for (int index = 0; index < count / 10; ++index) once();
  std::vector<double> each;
  for (int index = 0; index < count; ++index) {
    const Clock::time_point begin = Clock::now();
    once();
    each.push_back(microseconds(Clock::now() - begin));
  }
  std::sort(each.begin(), each.end());
  std::printf("%-44s median %7.1f us   p90 %7.1f us   p99 %7.1f us\n", what, each[each.size() / 2],
              each[each.size() * 9 / 10], each[each.size() * 99 / 100]);
}

void echo(Line& line) {
  for (std::string part; !(part = line.receive_some()).empty();) {
    if (!line.send(part)) return;
  }
}

void echo_over_tls(TlsLine& line) {
  for (std::string part; !(part = line.receive_packet()).empty();) {
    if (!line.send(packet(part))) return;
  }
}

void measure_echo(const char* what, std::uint16_t port) {
  const Line line = Line::connect(port);
  const std::string request = packet(std::string(60, '\0'));
  print_round_trips(what, 20000, [&] {
    line.send(request);
    line.receive(request.size());
  });
}

void measure_real(const char* what, const std::string& servers) {
  ZookeeperHost host;
  HandleOptions options = host.options();
  options.servers = servers;
  const HandlePtr handle = host.connect(options);
  const std::string folder = host.folder(handle);
  const std::string name(what);
  print_round_trips((name + ", read").c_str(), 5000, [&] {
    if (!host.answer(handle->exists(folder))) std::abort();
  });
  print_round_trips((name + ", create").c_str(), 2000, [&] {
    if (!host.answer(handle->create(folder + "/n-", "", NodeKind::ephemeral_sequential))) {
      std::abort();
    }
  });
  for (int turn = 0; turn < 3; ++turn) {
    const Clock::time_point begin = Clock::now();
    std::vector<Flight<Stat>> flights;
    for (int count = 0; count < 20000; ++count) flights.push_back(handle->exists(folder));
    for (Flight<Stat>& each : flights) {
      if (!host.answer(std::move(each))) std::abort();
    }
    const double seconds = microseconds(Clock::now() - begin) / 1e6;
    std::printf("%-44s %.0f reads/s in one stream\n", what, 20000 / seconds);
  }
  host.close(handle);
}

core::UrlHost host_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  return {text.substr(0, colon), static_cast<std::uint16_t>(std::stoi(text.substr(colon + 1)))};
}

RelayOptions with_tls(RelayOptions options) {
  options.tls.emplace();
  options.tls->ca_file = certificate("ca.pem");
  return options;
}

std::string address_of(const Relay& relay) {
  return "127.0.0.1:" + std::to_string(relay.port());
}

}  // namespace

TEST_CASE("round trips") {
  FakeServer server(echo);
  FakeServer tls_server(over_tls({}, echo_over_tls));
  const auto relay = start_relay({server.host()});
  const auto tls_relay = start_relay(with_tls(relay_to({tls_server.host()})));
  for (int turn = 0; turn < 2; ++turn) {
    measure_echo("echo, direct", server.port());
    measure_echo("echo, relay", relay->port());
    measure_echo("echo, relay with TLS", tls_relay->port());
  }
  const char* plain = std::getenv("LOCKER_TEST_ZOOKEEPER");
  const char* tls = std::getenv("LOCKER_TEST_ZOOKEEPER_TLS");
  if (plain == nullptr || tls == nullptr) return;
  const auto real = start_relay({host_of(plain)});
  const auto real_tls = start_relay(with_tls(relay_to({host_of(tls)})));
  for (int turn = 0; turn < 2; ++turn) {
    measure_real("ZooKeeper, direct", plain);
    measure_real("ZooKeeper, relay", address_of(*real));
    measure_real("ZooKeeper, relay with TLS", address_of(*real_tls));
  }
}
