#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

#include "tests/lockd/http/raw_client.h"
#include "tests/lockd/http/running_server.h"
#include "tests/support/test.h"

using namespace lockd_http_tests;

TEST_CASE("a parked peer that leaves is noticed at once") {
  RunningServer server;
  RawClient client(server.unix_path());
  client.send(post("/park", "{}"));
  REQUIRE(server.events().await("parked"));
  CHECK_FALSE(server.events().has("left"));
  SECTION("by closing") {
    client.close();
  }
  SECTION("by ending its half") {
    client.stop_sending();
  }
  SECTION("behind a pipelined request") {
    client.send(get("/never"));
    client.close();
  }
  SECTION("behind more pipelined requests than there is room for") {
    // In one call, for each has its cost in the kernel's queue.
    std::string many;
    while (many.size() < 64 * 1024) many += get("/never");
    REQUIRE(client.send(many));
    client.close();
  }
  CHECK(server.events().await("left"));
  CHECK(server.events().await("closed 1"));
}

TEST_CASE("a parked peer over TCP that leaves is noticed at once") {
  RunningServer server;
  RawClient client(server.tcp_port());
  client.send(post("/park", "{}"));
  REQUIRE(server.events().await("parked"));
  SECTION("by closing") {
    client.close();
  }
  SECTION("by a reset") {
    client.reset();
  }
  SECTION("by a reset behind a pipelined request") {
    client.send(get("/never"));
    client.reset();
  }
  CHECK(server.events().await("left"));
  CHECK(server.events().await("closed 1"));
}

TEST_CASE("what was pipelined behind a parked request is answered after it") {
  RunningServer server;
  RawClient client(server.unix_path());
  client.send(post("/park", "{}") + get("/x"));
  REQUIRE(server.events().await("parked"));
  client.send(get("/y"));
  CHECK(server.open_connections() == 1);
  CHECK_FALSE(server.events().has("left"));
}

TEST_CASE("a stream comes in pieces, and its peer's leaving ends it") {
  RunningServer server;
  RawClient client(server.unix_path());
  client.send(get("/stream"));
  const Answer head = client.read_answer(false);
  CHECK(head.status == 200);
  CHECK(head.headers.at("content-type") == "text/event-stream");
  CHECK(head.headers.at("transfer-encoding") == "chunked");
  CHECK(head.headers.at("cache-control") == "no-store");
  CHECK(client.read_until("two\n\n\r\n") == "b\r\ndata: one\n\n\r\nb\r\ndata: two\n\n\r\n");
  REQUIRE(server.events().await("streaming"));
  CHECK_FALSE(server.events().has("stream ended"));
  client.close();
  CHECK(server.events().await("stream ended"));
  CHECK(server.events().await("stream destroyed"));
}

TEST_CASE("a stream over HTTP/1.0 ends with its connection") {
  RunningServer server;
  RawClient client(server.unix_path());
  client.send("GET /stream HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
  const Answer head = client.read_answer(false);
  CHECK(head.headers.count("transfer-encoding") == 0);
  CHECK(head.headers.at("connection") == "close");
  CHECK(client.read_until("two\n\n") == "data: one\n\ndata: two\n\n");
  // Beyond what a client waits, so that not the deadline closes it.
  server.drain(3 * patience());
  CHECK(client.is_closed());
}

TEST_CASE("draining closes idle connections and lets parked requests be answered") {
  http::ServerOptions options;
  options.linger_time = std::chrono::milliseconds(100);
  RunningServer server(options);
  RawClient idle(server.tcp_port());
  RawClient used(server.unix_path());
  used.send(get("/x"));
  CHECK(used.read_answer().status == 200);
  RawClient streaming(server.unix_path());
  streaming.send(get("/stream"));
  RawClient parked(server.unix_path());
  parked.send(post("/park", "{}"));
  REQUIRE(server.events().await("parked"));
  REQUIRE(server.events().await("streaming"));
  // The kernel's queue is accepted from in order, so the idle one is served too.
  RawClient halfway(server.tcp_port());
  const std::string late = post("/late", "{}");
  halfway.send(late.substr(0, 40));
  halfway.send(late.substr(40, 5));
  RawClient probe(server.tcp_port());
  probe.send(get("/probe"));
  CHECK(probe.read_answer().status == 200);

  // Beyond what a client waits, so that not the deadline closes it.
  server.drain(3 * patience());
  CHECK(idle.is_closed());
  CHECK(used.is_closed());
  const Answer answer = parked.read_answer();
  CHECK(answer.status == 503);
  CHECK(answer.headers.at("connection") == "close");
  CHECK(parked.is_closed());
  CHECK(streaming.read_answer().body == "data: one\n\ndata: two\n\n");
  halfway.send(late.substr(45));
  const Answer last = halfway.read_answer();
  CHECK(last.body == "POST /late\n{}");
  CHECK(last.headers.at("connection") == "close");
  CHECK(server.events().await("drained"));
  CHECK(server.open_connections() == 0);
  CHECK_FALSE(RawClient(server.unix_path()).is_connected());
  CHECK_FALSE(RawClient(server.tcp_port()).is_connected());
  CHECK(::access(server.unix_path().c_str(), F_OK) != 0);
}

TEST_CASE("draining ends at its deadline, whoever is still there") {
  RunningServer server;
  RawClient client(server.tcp_port());
  client.send("GET /");
  RawClient probe(server.tcp_port());
  probe.send(get("/probe"));
  CHECK(probe.read_answer().status == 200);
  server.drain(std::chrono::milliseconds(50));
  CHECK(server.events().await("drained"));
  CHECK(client.is_closed());
}

TEST_CASE("a Unix socket's file is replaced only where nobody listens") {
  RunningServer server;
  const std::string other = server.unix_path() + ".other";
  server.on_thread([&](http::Server& running) {
    const auto live = running.listen_unix(server.unix_path());
    REQUIRE_FALSE(live);
    CHECK(live.error().errc == locker::Errc::conflict);
    std::ofstream(other) << "a file of somebody";
    const auto foreign = running.listen_unix(other);
    REQUIRE_FALSE(foreign);
    CHECK(foreign.error().errc == locker::Errc::config);
    CHECK_FALSE(running.listen_unix(std::string(108, 'x')));
    CHECK_FALSE(running.listen_unix("/absent/socket"));
    CHECK_FALSE(running.listen_tcp("localhost", 0));
    CHECK_FALSE(running.listen_tcp("127.0.0.1", server.tcp_port()));
  });
  ::unlink(other.c_str());
  // A server that is killed leaves its file behind.
  const pid_t child = ::fork();
  if (child == 0) {
    boost::asio::io_context context;
    http::Server killed(context.get_executor(), {}, nullptr);
    if (!killed.listen_unix(other)) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(::access(other.c_str(), F_OK) == 0);
  server.on_thread([&](http::Server& running) { CHECK(running.listen_unix(other, 0600)); });
  struct stat state {};
  REQUIRE(::stat(other.c_str(), &state) == 0);
  CHECK((state.st_mode & 0777) == 0600);
  RawClient client(other);
  client.send(get("/x"));
  CHECK(client.read_answer().status == 200);
}
