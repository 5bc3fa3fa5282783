// The C client through the relay to real servers, with TLS and without; by with_tls_zookeeper.py.

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/test.h"
#include "tests/zookeeper/relay/relay_fixture.h"
#include "tests/zookeeper/relay/tls_server.h"
#include "tests/zookeeper/support.h"

using namespace locker;
using namespace locker::tests;
using namespace locker::backends::zookeeper;
using Catch::Matchers::Contains;

namespace {

core::UrlHost server_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) FAIL("run this through with_tls_zookeeper.py");
  const std::string host_port = text;
  const std::size_t colon = host_port.rfind(':');
  return {host_port.substr(0, colon),
          static_cast<std::uint16_t>(std::stoi(host_port.substr(colon + 1)))};
}

constexpr const char* plain = "LOCKER_TEST_ZOOKEEPER";
constexpr const char* tls = "LOCKER_TEST_ZOOKEEPER_TLS";
constexpr const char* mutual_tls = "LOCKER_TEST_ZOOKEEPER_MUTUAL_TLS";

HandleOptions through(ZookeeperHost& host, const Relay& relay) {
  HandleOptions options = host.options();
  options.servers = "127.0.0.1:" + std::to_string(relay.port());
  return options;
}

RelayOptions tls_relay_to(const core::UrlHost& server, const std::string& client = "",
                          const std::string& ca = "ca.pem") {
  RelayOptions options = relay_to({server});
  options.tls.emplace();
  options.tls->ca_file = certificate(ca);
  if (!client.empty()) {
    options.tls->certificate_file = certificate(client + ".pem");
    options.tls->key_file = certificate(client + ".key");
  }
  return options;
}

// What a locker does, and answers that are large.
void work(ZookeeperHost& host, const HandlePtr& handle) {
  const std::string folder = host.folder(handle);
  const std::string data = noise(60000, 1);
  std::vector<Flight<Created>> flights;
  for (int count = 0; count < 100; ++count) {
    flights.push_back(handle->create(folder + "/node-", data, NodeKind::ephemeral_sequential));
  }
  std::string last;
  for (Flight<Created>& each : flights) last = host.answer(std::move(each)).value().path;
  CHECK(host.answer(handle->children(folder)).value().size() == 100);
  CHECK((host.answer(handle->get(last)).value().data == data));
  const runtime::EventPtr changed = host.event();
  CHECK(host.answer(handle->watch(last, changed)));
  CHECK(host.answer(handle->set(last, "")));
  CHECK(host.until([&] { return changed->is_set(); }));
}

// How a client fares that never gets to a server; the relay's reason.
Error refusal(RelayOptions options) {
  const auto relay = start_relay(std::move(options));
  ZookeeperHost host;
  const HandlePtr handle = Handle::start(through(host, *relay)).value();
  const auto deadline = std::chrono::steady_clock::now() + relay_bound();
  while (!relay->last_failure().has_value() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  REQUIRE(relay->last_failure().has_value());
  CHECK_FALSE(handle->in_contact());
  host.close(handle);
  return relay->last_failure().value();
}

}  // namespace

TEST_CASE("a session goes through the relay") {
  const auto relay = start_relay({server_in(plain)});
  ZookeeperHost host;
  const HandlePtr handle = host.connect(through(host, *relay));
  work(host, handle);
  host.close(handle);
}

TEST_CASE("a session goes through TLS") {
  const auto relay = start_relay(tls_relay_to(server_in(tls)));
  ZookeeperHost host;
  const HandlePtr handle = host.connect(through(host, *relay));
  work(host, handle);
  host.close(handle);
}

TEST_CASE("a session goes through TLS to a server that wants to know us") {
  const auto relay = start_relay(tls_relay_to(server_in(mutual_tls), "client"));
  ZookeeperHost host;
  const HandlePtr handle = host.connect(through(host, *relay));
  work(host, handle);
  host.close(handle);
}

TEST_CASE("sessions of one process share a relay") {
  const auto relay = start_relay(tls_relay_to(server_in(tls)));
  ZookeeperHost host;
  std::vector<HandlePtr> handles;
  for (int count = 0; count < 5; ++count) handles.push_back(host.connect(through(host, *relay)));
  for (const HandlePtr& each : handles) work(host, each);
  for (const HandlePtr& each : handles) host.close(each);
}

TEST_CASE("a closed session is gone from the server at once") {
  const auto relay = start_relay(tls_relay_to(server_in(tls)));
  ZookeeperHost host;
  const HandlePtr watcher = host.connect();
  const std::string folder = host.folder(watcher);
  HandleOptions options = through(host, *relay);
  // Longer than the test waits: only its own last word can end it in time.
  options.session_timeout = std::chrono::seconds(60);
  const HandlePtr handle = host.connect(options);
  REQUIRE(host.answer(handle->create(folder + "/mine", "", NodeKind::ephemeral)));
  const runtime::EventPtr gone = host.event();
  REQUIRE(host.answer(watcher->watch(folder + "/mine", gone)));
  host.close(handle);
  CHECK(host.until([&] { return gone->is_set(); }));
  host.close(watcher);
}

TEST_CASE("a session survives connections that break") {
  // Each breaks after some hundred bytes of requests.
  FakeServer breaking([](Line& line) {
    const Line real = Line::connect(*server_in(plain).port);
    std::thread down([&] {
      for (std::string part; !(part = real.receive_some()).empty();) line.send(part);
    });
    for (std::size_t passed = 0; passed < 300;) {
      const std::string part = line.receive_some();
      if (part.empty() || !real.send(part)) break;
      passed += part.size();
    }
    real.end_sending();
    down.join();
    line.reset();
  });
  const auto relay = start_relay({breaking.host()});
  ZookeeperHost host;
  const HandlePtr handle = host.connect(through(host, *relay));
  const std::int64_t session = handle->session_id();
  const std::string folder = host.folder(handle);
  int done = 0;
  while (done < 50 && !handle->over().has_value()) {
    if (host.answer(handle->exists(folder))) ++done;
  }
  CHECK(done == 50);
  CHECK(handle->session_id() == session);
  CHECK(breaking.connections() > 3);
  host.close(handle);
}

TEST_CASE("a real server that wants a certificate is told as such") {
  const Error none = refusal(tls_relay_to(server_in(mutual_tls)));
  CHECK(none.errc == Errc::unauthorized);
  CHECK(none.code == "certificate_refused");
  CHECK_THAT(none.message, Contains("wants a TLS certificate of ours and there is none"));
  const Error wrong = refusal(tls_relay_to(server_in(mutual_tls), "other_client"));
  CHECK(wrong.errc == Errc::unauthorized);
  CHECK(wrong.code == "certificate_refused");
  CHECK_THAT(wrong.message, Contains("refuses our TLS certificate"));
}

TEST_CASE("a real server of another CA, or under another name, is not trusted") {
  const Error other_ca = refusal(tls_relay_to(server_in(tls), "", "other_ca.pem"));
  CHECK(other_ca.errc == Errc::unauthorized);
  CHECK(other_ca.code == "untrusted_server");
  RelayOptions options = tls_relay_to({"other.example", server_in(tls).port});
  options.look_up = [](const std::string&) {
    return std::vector{boost::asio::ip::make_address("127.0.0.1")};
  };
  const Error other_name = refusal(options);
  CHECK(other_name.code == "untrusted_server");
  CHECK_THAT(other_name.message, Contains("is for another host (DNS:localhost"));
}

TEST_CASE("TLS to a real server's plain port, and the other way round, is told as such") {
  const Error tls_to_plain = refusal(tls_relay_to({"localhost", server_in(plain).port}));
  CHECK(tls_to_plain.errc == Errc::unavailable);
  CHECK_THAT(tls_to_plain.message, Contains("is that its plain port?"));
  const Error plain_to_tls = refusal(relay_to({server_in(tls)}));
  CHECK(plain_to_tls.errc == Errc::unavailable);
  CHECK_THAT(plain_to_tls.message, Contains("hung up on the session") || Contains("speaks TLS"));
}
