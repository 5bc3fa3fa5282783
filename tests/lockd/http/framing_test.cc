#include "lockd/http/framing.h"

#include <string>
#include <utility>
#include <vector>

#include "lockd/http/access.h"
#include "tests/support/test.h"

using namespace locker::lockd::http;

namespace {

struct Case {
  const char* what;
  std::string head;
};

std::string get(const std::string& fields) {
  return "GET /v1/locks HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}

std::string post(const std::string& fields) {
  return "POST /v1/locks HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}

const std::vector<Case>& ambiguous_bodies() {
  static const std::vector<Case> cases = {
      {"a transfer encoding that ends with chunked", post("Transfer-Encoding: gzip, chunked\r\n")},
      {"a transfer encoding that is not chunked", post("Transfer-Encoding: identity\r\n")},
      {"a misspelt transfer encoding", post("Transfer-Encoding: xchunked\r\n")},
      {"chunked in quotes", post("Transfer-Encoding: \"chunked\"\r\n")},
      {"chunked with a parameter", post("Transfer-Encoding: chunked;q=1\r\n")},
      {"chunked in other letters", post("Transfer-Encoding: Chunked\r\n")},
      {"chunked after a vertical tab", post("Transfer-Encoding: \vchunked\r\n")},
      {"twin transfer encodings",
       post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
      {"an empty transfer encoding", post("Transfer-Encoding:\r\n")},
      {"chunked in HTTP/1.0",
       "POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {"a length beside chunked", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")},
      {"a length as a list", post("Content-Length: 5,5\r\n")},
      {"a length as a list of two", post("Content-Length: 5, 6\r\n")},
      {"twin lengths that agree", post("Content-Length: 5\r\nContent-Length: 5\r\n")},
      {"twin lengths that differ", post("Content-Length: 5\r\ncontent-length: 6\r\n")},
      {"a length with a sign", post("Content-Length: +5\r\n")},
      {"a negative length", post("Content-Length: -5\r\n")},
      {"a length in hex", post("Content-Length: 0x5\r\n")},
      {"a length with a blank inside", post("Content-Length: 5 5\r\n")},
      {"an empty length", post("Content-Length: \r\n")},
      {"a length beyond 64 bits", post("Content-Length: 18446744073709551621\r\n")},
      {"no Host", "GET / HTTP/1.1\r\nAccept: */*\r\n\r\n"},
      {"no header at all", "GET / HTTP/1.1\r\n\r\n"},
      {"no Host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n"},
      {"twin Hosts", get("Host: localhost\r\n")},
      {"twin Origins", get("Origin: http://a\r\nOrigin: http://b\r\n")},
      {"twin content types",
       post("Content-Type: text/plain\r\nContent-Type: application/json\r\n")},
  };
  return cases;
}

const std::vector<Case>& broken_lines() {
  using namespace std::string_literals;
  static const std::vector<Case> cases = {
      {"an absolute target", "GET http://localhost/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"an authority as target", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"an asterisk as target", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"no target", "GET HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"an empty target", "GET  HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"a blank in the target", "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"a fragment", "GET /a#b HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"a byte beyond ASCII in the target", "GET /\xc3\xa9 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"half an escape", "GET /a%2 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"an escape that is not hex", "GET /a%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"an escaped NUL", "GET /a%00 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"a method that is no word", "G(T / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"no method", " / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"another version", "GET / HTTP/1.2\r\nHost: localhost\r\n\r\n"},
      {"the next protocol", "GET / HTTP/2\r\nHost: localhost\r\n\r\n"},
      {"a version in small letters", "GET / http/1.1\r\nHost: localhost\r\n\r\n"},
      {"a version with a blank after it", "GET / HTTP/1.1 \r\nHost: localhost\r\n\r\n"},
      {"a header folded by a blank", get("X: a\r\n b\r\n")},
      {"a header folded by a tab", get("X: a\r\n\tb\r\n")},
      {"a first header that is folded", "GET / HTTP/1.1\r\n Host: localhost\r\n\r\n"},
      {"a blank before the colon", get("Content-Length : 5\r\n")},
      {"an empty name", get(": 5\r\n")},
      {"a line without a colon", get("Content-Length\r\n")},
      {"a name with a blank", get("Content Length: 5\r\n")},
      {"a name with a bracket", get("X(y): 5\r\n")},
      {"a name beyond ASCII", get("X\xc3\xa9: 5\r\n")},
      {"a bare LF", get("X: a\nContent-Length: 5\r\n")},
      {"a bare CR", get("X: a\rContent-Length: 5\r\n")},
      {"a bare LF alone", "GET / HTTP/1.1\nHost: localhost\n\n"},
      {"a NUL in a value", get("X: a\0b\r\n"s)},
      {"a NUL in a name", get("X\0: a\r\n"s)},
      {"an escape character in a value", get("X: \x1b[2J\r\n")},
      {"another expectation", post("Expect: the best\r\n")},
      {"an empty line before the request", "\r\n" + get("")},
      {"something behind the empty line", get("") + "GET"},
      {"nothing", ""},
      {"only an empty line", "\r\n"},
      {"no empty line", "GET / HTTP/1.1\r\nHost: localhost\r\n"},
  };
  return cases;
}

}  // namespace

TEST_CASE("S18: heads that two readers could read in two ways are refused") {
  for (const auto* table : {&ambiguous_bodies(), &broken_lines()}) {
    for (const Case& each : *table) {
      DYNAMIC_SECTION(each.what) {
        const auto head = read_head(each.head);
        REQUIRE_FALSE(head);
        CHECK(head.error().errc == locker::Errc::invalid);
        CHECK(head.error().code == "bad_request");
      }
    }
  }
}

TEST_CASE("the body of a head that is let through has one length") {
  SECTION("none") {
    const auto head = read_head(get("")).value();
    CHECK(head.body == BodyKind::none);
    CHECK(head.keep_alive);
  }
  SECTION("by its length") {
    const auto head = read_head(post("CONTENT-LENGTH:\t12 \r\n")).value();
    CHECK(head.body == BodyKind::length);
    CHECK(head.length == 12);
  }
  SECTION("a length of nothing") {
    CHECK(read_head(post("Content-Length: 0\r\n")).value().body == BodyKind::none);
  }
  SECTION("with zeros before it") {
    CHECK(read_head(post("Content-Length: 007\r\n")).value().length == 7);
  }
  SECTION("in chunks") {
    CHECK(read_head(post("transfer-encoding: chunked\r\n")).value().body == BodyKind::chunked);
  }
}

TEST_CASE("a head's words are taken apart") {
  const std::string text =
      "PATCH /v1/a%20b?x=1&y HTTP/1.1\r\nHost: localhost:7420\r\nX-One:  a b \r\n"
      "Connection: upgrade, Close\r\nExpect: 100-Continue\r\n\r\n";
  const auto head = read_head(text).value();
  CHECK(head.method == "PATCH");
  CHECK(head.path == "/v1/a%20b");
  CHECK(head.query == "x=1&y");
  CHECK(head.only("x-one") == "a b");
  CHECK(head.only("absent").empty());
  CHECK_FALSE(head.keep_alive);
  CHECK(head.expects_continue);
  CHECK(percent_decoded(head.path, false) == "/v1/a b");
  CHECK(percent_decoded("a+b%2B", true) == "a b+");
  CHECK(percent_decoded("a+b", false) == "a+b");
}

TEST_CASE("HTTP/1.0 keeps a connection only where it is asked to") {
  const std::string line = "GET / HTTP/1.0\r\nHost: localhost\r\n";
  CHECK_FALSE(read_head(line + "\r\n").value().keep_alive);
  CHECK(read_head(line + "Connection: keep-alive\r\n\r\n").value().keep_alive);
}

TEST_CASE("the end of a head is found however its bytes come") {
  const std::string head = get("X: y\r\n");
  for (std::size_t size = 1; size < head.size(); ++size) {
    const HeadEnd end = find_head_end(head.substr(0, size), size - 1);
    CHECK(end.end == 0);
    CHECK_FALSE(end.broken);
  }
  CHECK(find_head_end(head, head.size() - 1).end == head.size());
  CHECK(find_head_end(head + "GET", 0).end == head.size());
  CHECK(find_head_end("GET / HTTP/1.1\n", 0).broken);
  CHECK(find_head_end("\n", 0).broken);
  CHECK(find_head_end("\r\n", 0).broken);
  CHECK(find_head_end(std::string("GE\0T", 4), 0).broken);
}

TEST_CASE("S09: only this daemon's names are its own") {
  const std::vector<std::string> allowed = {"locks.example"};
  for (const char* host : {"localhost", "LocalHost:1", "127.0.0.1", "127.9.8.7:7420", "[::1]",
                           "[::1]:7420", "locks.example", "Locks.Example:80"}) {
    CAPTURE(host);
    CHECK(host_allowed(host, allowed));
  }
  for (const char* host :
       {"evil.example", "evil.example:7420", "", ":7420", "localhost.evil.example", "localhost:x",
        "127.0.0.1.evil.example", "127.0.0", "127.0.0.1.1", "128.0.0.1", "[::2]", "[::1",
        "notlocks.example", "localhost@evil.example", "127.0.0.1:80:80", "127.0.0.0001"}) {
    CAPTURE(host);
    CHECK_FALSE(host_allowed(host, allowed));
  }
}

TEST_CASE("S10: an origin is the same or foreign") {
  CHECK(same_origin("http://localhost:7420", "localhost:7420"));
  CHECK(same_origin("https://LOCALHOST:7420", "localhost:7420"));
  for (const char* origin :
       {"null", "", "http://evil.example", "http://localhost:7421", "http://localhost",
        "file://localhost:7420", "localhost:7420", "http://localhost:7420.evil.example"}) {
    CAPTURE(origin);
    CHECK_FALSE(same_origin(origin, "localhost:7420"));
  }
}

TEST_CASE("S16: one type is JSON") {
  CHECK(is_json("application/json"));
  CHECK(is_json("Application/JSON ; charset=utf-8"));
  for (const char* type : {"", "text/plain", "application/jsonp", "text/plain;application/json",
                           "application/problem+json", ";application/json"}) {
    CAPTURE(type);
    CHECK_FALSE(is_json(type));
  }
}
