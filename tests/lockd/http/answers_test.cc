#include <string>

#include <unistd.h>

#include "tests/lockd/http/raw_client.h"
#include "tests/lockd/http/running_server.h"
#include "tests/support/test.h"

using namespace lockd_http_tests;

namespace {

bool is_problem(const Answer& answer, const std::string& code) {
  return answer.headers.at("content-type") == "application/problem+json" &&
         answer.body.find("\"code\":\"" + code + "\"") != std::string::npos &&
         answer.body.find("\"status\":" + std::to_string(answer.status)) != std::string::npos &&
         answer.body.find(answer.headers.at("x-request-id")) != std::string::npos;
}

}  // namespace

TEST_CASE("a connection is kept and its requests are answered") {
  RunningServer server;
  RawClient client(server.unix_path());
  client.send(post("/a/b%20c?x=1+2&y=%26", "{\"n\": 1}"));
  const Answer first = client.read_answer();
  CHECK(first.status == 200);
  CHECK(first.body == "POST /a/b%20c x=1 2 y=&\n{\"n\": 1}");
  CHECK(first.headers.at("cache-control") == "no-store");
  CHECK(first.headers.at("x-content-type-options") == "nosniff");
  CHECK(first.headers.count("date") == 1);
  CHECK(first.headers.count("connection") == 0);
  CHECK(first.headers.count("x-injected") == 0);
  client.send(get("/again"));
  const Answer second = client.read_answer();
  CHECK(second.body == "GET /again\n");
  CHECK(second.headers.at("x-request-id") != first.headers.at("x-request-id"));
  CHECK(server.open_connections() == 1);
}

TEST_CASE("a handler knows who is at the other end") {
  RunningServer server;
  RawClient local(server.unix_path());
  local.send(get("/peer"));
  CHECK(local.read_answer().body == "unix " + std::to_string(::getpid()));
  RawClient remote(server.tcp_port());
  remote.send(get("/peer"));
  CHECK(remote.read_answer().body == "tcp 127.0.0.1");
}

TEST_CASE("pipelined requests are answered in their order") {
  RunningServer server;
  RawClient client(server.tcp_port());
  client.send(get("/1") + post("/2", "{}") + get("/3") + get("/4", "Connection: close\r\n"));
  CHECK(client.read_answer().body == "GET /1\n");
  CHECK(client.read_answer().body == "POST /2\n{}");
  CHECK(client.read_answer().body == "GET /3\n");
  const Answer last = client.read_answer();
  CHECK(last.body == "GET /4\n");
  CHECK(last.headers.at("connection") == "close");
  CHECK(client.is_closed());
}

TEST_CASE("a request is read however its bytes come") {
  RunningServer server;
  RawClient client(server.tcp_port());
  for (const char byte : post("/slow", "{\"a\": 1}")) client.send(std::string(1, byte));
  CHECK(client.read_answer().body == "POST /slow\n{\"a\": 1}");
}

TEST_CASE("a chunked body is put together, and a request behind it is read") {
  RunningServer server;
  RawClient client(server.tcp_port());
  const std::string head =
      "POST /c HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  client.send(head + "3\r\n{\"a\r\n4;x=y\r\n\":1}\r\n0\r\nHost: evil.example\r\n\r\n" + get("/n"));
  CHECK(client.read_answer().body == "POST /c\n{\"a\":1}");
  CHECK(client.read_answer().body == "GET /n\n");
  client.send(head + "3\n{}\n\r\n0\r\n\r\n");
  CHECK(client.read_answer().status == 400);
  CHECK(client.is_closed());
}

TEST_CASE("HEAD is answered as GET without the body, and some answers have none") {
  RunningServer server;
  RawClient client(server.tcp_port());
  client.send("HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const Answer head = client.read_answer(false);
  CHECK(head.status == 200);
  CHECK(head.headers.at("content-length") == std::to_string(std::string("GET /x\n").size()));
  client.send(get("/empty"));
  const Answer empty = client.read_answer();
  CHECK(empty.status == 204);
  CHECK(empty.headers.count("content-length") == 0);
  client.send(get("/next"));
  CHECK(client.read_answer().body == "GET /next\n");
}

TEST_CASE("who waits for a word to go on gets it") {
  RunningServer server;
  RawClient client(server.tcp_port());
  const std::string whole = post("/e", "{}", "Expect: 100-continue\r\n");
  client.send(whole.substr(0, whole.size() - 2));
  CHECK(client.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("{}");
  CHECK(client.read_answer().body == "POST /e\n{}");
}

TEST_CASE("HTTP/1.0 is answered and closed") {
  RunningServer server;
  RawClient client(server.tcp_port());
  client.send("GET /old HTTP/1.0\r\nHost: localhost\r\n\r\n");
  CHECK(client.read_answer().body == "GET /old\n");
  CHECK(client.is_closed());
}

TEST_CASE("broken framing is answered with 400 and closed, what follows is not read") {
  RunningServer server;
  RawClient client(server.tcp_port());
  client.send("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5,5\r\n\r\nhello" +
              get("/y"));
  const Answer answer = client.read_answer();
  CHECK(answer.status == 400);
  CHECK(is_problem(answer, "bad_request"));
  CHECK(answer.headers.at("connection") == "close");
  CHECK(client.read_until("GET /y").empty());
  RawClient bare(server.tcp_port());
  bare.send("GET / HTTP/1.1\nHost: localhost\n\n");
  CHECK(bare.read_answer().status == 400);
}

TEST_CASE("S09: a foreign Host is refused over TCP, and none is foreign over a Unix socket") {
  http::ServerOptions options;
  options.allowed_hosts = {"locks.example"};
  RunningServer server(options);
  const std::string port = ":" + std::to_string(server.tcp_port());
  for (const char* method : {"GET", "POST"}) {
    const std::string begin = std::string(method) + " /x HTTP/1.1\r\nHost: ";
    RawClient evil(server.tcp_port());
    evil.send(begin + "evil.example" + port + "\r\n\r\n");
    const Answer answer = evil.read_answer();
    CHECK(answer.status == 421);
    CHECK(is_problem(answer, "wrong_host"));
    CHECK(evil.is_closed());
    RawClient good(server.tcp_port());
    good.send(begin + "127.0.0.1" + port + "\r\n\r\n" + begin + "locks.example\r\n\r\n");
    CHECK(good.read_answer().status == 200);
    CHECK(good.read_answer().status == 200);
    RawClient local(server.unix_path());
    local.send(begin + "evil.example\r\n\r\n");
    CHECK(local.read_answer().status == 200);
  }
}

TEST_CASE("S10: foreign origins and forms are refused, and OPTIONS allows nobody") {
  RunningServer server;
  const auto ask = [&server](const std::string& request) {
    RawClient client(server.tcp_port());
    client.send(request);
    return client.read_answer();
  };
  const std::string form =
      "POST /v1/locks HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n";
  CHECK(is_problem(ask(form + "Content-Length: 2\r\n\r\n{}"), "not_json"));
  CHECK(ask(form + "Content-Length: 2\r\n\r\n{}").status == 415);
  CHECK(ask(form + "\r\n").status == 415);
  const Answer foreign = ask(post("/v1/locks", "{}", "Origin: http://evil.example\r\n"));
  CHECK(foreign.status == 403);
  CHECK(is_problem(foreign, "foreign_origin"));
  CHECK(ask(get("/v1/locks", "Origin: null\r\n")).status == 403);
  CHECK(ask(post("/v1/locks", "{}", "Origin: http://localhost\r\n")).status == 200);
  const Answer options =
      ask("OPTIONS /v1/locks HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
          "Access-Control-Request-Method: POST\r\n\r\n");
  CHECK(options.body == "OPTIONS /v1/locks\n");
  CHECK(options.headers.count("access-control-allow-origin") == 0);
  CHECK(foreign.headers.count("access-control-allow-origin") == 0);
}

TEST_CASE(
    "S16: other types than JSON are refused for changes, and every method reaches the routes") {
  RunningServer server;
  for (const std::string method : {"POST", "PUT", "PATCH", "DELETE"}) {
    RawClient client(server.tcp_port());
    client.send(method + " /x HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n" +
                "Content-Length: 4\r\n\r\n<a/>");
    CHECK(client.read_answer().status == 415);
    RawClient untyped(server.tcp_port());
    untyped.send(method + " /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
    CHECK(untyped.read_answer().status == 415);
    RawClient empty(server.tcp_port());
    empty.send(method + " /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(empty.read_answer().body == method + " /x\n");
  }
  RawClient trace(server.tcp_port());
  trace.send("TRACE /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(trace.read_answer().body == "TRACE /x\n");
}
