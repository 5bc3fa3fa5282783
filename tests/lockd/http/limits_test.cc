#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/lockd/http/raw_client.h"
#include "tests/lockd/http/running_server.h"
#include "tests/support/test.h"

using namespace lockd_http_tests;
using std::chrono::milliseconds;
using Clients = std::vector<std::unique_ptr<RawClient>>;

TEST_CASE("heads and bodies over their limits are refused") {
  RunningServer server;
  RawClient client(server.tcp_port());
  SECTION("a head that is whole") {
    client.send(get("/", "X: " + std::string(9000, 'x') + "\r\n"));
    CHECK(client.read_answer().status == 431);
  }
  SECTION("a head without an end") {
    client.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x'));
    CHECK(client.read_answer().status == 431);
  }
  SECTION("a head just below the limit") {
    const std::size_t rest = get("/", "X: \r\n").size();
    client.send(get("/", "X: " + std::string(8192 - rest, 'x') + "\r\n"));
    CHECK(client.read_answer().status == 200);
    return;
  }
  SECTION("a body by its length") {
    client.send(post("/", std::string(1024 * 1024 + 1, ' ')));
    CHECK(client.read_answer().status == 413);
  }
  SECTION("a body just below the limit") {
    client.send(post("/", std::string(1024 * 1024, ' ')));
    CHECK(client.read_answer().status == 200);
    return;
  }
  CHECK(client.is_closed());
}

TEST_CASE("S07: an endless chunked body is cut at the limit") {
  RunningServer server;
  RawClient client(server.tcp_port());
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "1000\r\n" + std::string(4096, ' ') + "\r\n";
  SECTION("and told so") {
    for (int count = 0; count < 257; ++count) client.send(chunk);
    CHECK(client.read_answer().status == 413);
  }
  SECTION("and closed on a peer that never reads") {
    std::size_t sent = 0;
    const std::size_t most = 256UL * 1024 * 1024;
    while (sent < most && client.send(chunk)) sent += chunk.size();
    CHECK(sent < most);
  }
}

TEST_CASE(
    "S07: idle connections from one address are capped, and those of the Unix socket in all") {
  http::ServerOptions options;
  options.connections_per_address = 100;
  options.connections = 150;
  options.linger_time = milliseconds(50);
  RunningServer server(options);
  Clients idle;
  for (int count = 0; count < 100; ++count) {
    idle.push_back(std::make_unique<RawClient>(server.tcp_port()));
  }
  for (int count = 0; count < 400; ++count) {
    RawClient more(server.tcp_port());
    const Answer answer = more.read_answer();
    REQUIRE(answer.status == 429);
    REQUIRE(more.is_closed());
  }
  CHECK(server.open_connections() == 100);
  // Other ways in stay open until all are too many.
  for (int count = 0; count < 50; ++count) {
    idle.push_back(std::make_unique<RawClient>(server.unix_path()));
  }
  RawClient last(server.unix_path());
  CHECK(last.read_answer().status == 503);
  CHECK(server.open_connections() == 150);
  // A place that is free again is given again.
  idle.erase(idle.begin());
  REQUIRE(server.events().await("closed 1"));
  RawClient next(server.tcp_port());
  next.send(get("/x"));
  CHECK(next.read_answer().status == 200);
}

TEST_CASE("who is too slow is told so and closed") {
  http::ServerOptions options;
  options.header_time = options.body_time = options.idle_time = milliseconds(100);
  options.write_time = options.linger_time = milliseconds(100);
  RunningServer server(options);
  RawClient client(server.tcp_port());
  SECTION("with a head") {
    client.send("GET / HT");
    CHECK(client.read_answer().status == 408);
  }
  SECTION("with a body") {
    client.send(post("/", "{}", "X: y\r\n").substr(0, post("/", "{}", "X: y\r\n").size() - 1));
    CHECK(client.read_answer().status == 408);
  }
  SECTION("with reading") {
    client.send(get("/large"));
    CHECK(server.events().await("closed 1"));
  }
  SECTION("with a next request") {
    client.send(get("/x"));
    CHECK(client.read_answer().status == 200);
    CHECK(client.read_answer().status == 0);
  }
  SECTION("with a next request after a wait") {
    client.send(get("/stream"));
    REQUIRE(server.events().await("streaming"));
    CHECK_FALSE(server.events().has("closed 1"));
    client.close();
  }
  CHECK(server.events().await("closed 1"));
}

TEST_CASE("S06: three hundred slow clients do not slow another") {
  http::ServerOptions options;
  options.connections_per_address = 400;
  RunningServer server(options);
  Clients slow;
  for (int count = 0; count < 300; ++count) {
    slow.push_back(std::make_unique<RawClient>(server.tcp_port()));
    RawClient& client = *slow.back();
    if (count % 3 == 0) client.send("GET / HTTP/1.1\r\nHost: local");
    if (count % 3 == 1) client.send(post("/", std::string(1000, ' ')).substr(0, 200));
    if (count % 30 == 2) client.send(get("/large"));
  }
  RawClient normal(server.tcp_port());
  const auto begin = std::chrono::steady_clock::now();
  for (int count = 0; count < 500; ++count) {
    // Each slow one goes on a little meanwhile.
    slow[static_cast<std::size_t>(count) % slow.size() / 3 * 3]->send("x");
    normal.send(get("/x"));
    REQUIRE(normal.read_answer().status == 200);
  }
  CHECK(std::chrono::steady_clock::now() - begin < patience() / 2);
  CHECK(server.open_connections() == 301);
}
