#include "core/url.h"

#include <array>
#include <vector>

#include "tests/support/test.h"

using locker::core::parse_url;
using locker::core::Url;
using locker::core::UrlHost;

namespace {

std::string many_hosts(int count) {
  std::string text = "zk://h1";
  for (int index = 2; index <= count; ++index) text += ",h" + std::to_string(index);
  return text;
}

}  // namespace

TEST_CASE("the forms of a coordinator's URL") {
  struct Expected {
    const char* text;
    Url url;
  };
  const std::vector<Expected> rows = {
      {"local:", {"local", {}, "", {}}},
      {"LOCAL:", {"local", {}, "", {}}},
      {"local:/dir", {"local", {}, "/dir", {}}},
      {"local:/a%20b", {"local", {}, "/a b", {}}},
      {"local:/dir?x=y", {"local", {}, "/dir", {{"x", "y"}}}},
      {"local:?x=y&z=%26%3D", {"local", {}, "", {{"x", "y"}, {"z", "&="}}}},
      {"local:/dir?x=", {"local", {}, "/dir", {{"x", ""}}}},
      {"lockd+unix:/run/s", {"lockd+unix", {}, "/run/s", {}}},
      {"zk://h", {"zk", {{"h", {}}}, "", {}}},
      {"zk://h/", {"zk", {{"h", {}}}, "/", {}}},
      {"zk://h1:2181,h2,[::1]:2181/chroot",
       {"zk", {{"h1", 2181}, {"h2", {}}, {"::1", 2181}}, "/chroot", {}}},
      {"zk://[fe80::1]", {"zk", {{"fe80::1", {}}}, "", {}}},
      {"etcd://10.0.0.1:1,a-b.c_d:65535?x=y",
       {"etcd", {{"10.0.0.1", 1}, {"a-b.c_d", 65535}}, "", {{"x", "y"}}}},
  };
  for (const Expected& row : rows) {
    CAPTURE(row.text);
    const auto url = parse_url(row.text);
    REQUIRE(url);
    CHECK(*url == row.url);
    const auto again = parse_url(locker::core::to_string(*url));
    REQUIRE(again);
    CHECK(*again == *url);
  }
}

TEST_CASE("B06: what is wrong with a URL is named") {
  struct Expected {
    std::string text;
    const char* word;
  };
  const std::vector<Expected> rows = {
      {"", "scheme"},
      {"local", "scheme"},
      {"/dir", "scheme"},
      {":/dir", "scheme"},
      {"1a:/dir", "scheme"},
      {"h1:2181,h2", "scheme"},
      {"local:dir", "begin with a slash"},
      {"zk://", "no host"},
      {"zk:///chroot", "no host"},
      {"zk://h:0", "port '0'"},
      {"zk://h:65536", "port '65536'"},
      {"zk://h:99999999999999", "port"},
      {"zk://h:-1", "port '-1'"},
      {"zk://h:x", "port 'x'"},
      {"zk://h:", "port ''"},
      {"zk://h:21 81", "port"},
      {"zk://:2181", "without a host"},
      {"zk://a,,b", "empty host"},
      {"zk://a,", "empty host"},
      {"zk://::1", "brackets"},
      {"zk://[::1", "IPv6"},
      {"zk://[::g]", "IPv6"},
      {"zk://[]", "IPv6"},
      {"zk://[::1]2181", "other than a port"},
      {"zk://a b", "no host's name"},
      {"zk://h\x1b[2J", "no host's name"},
      {"zk://h/a%2", "%25"},
      {"zk://h/a%zz", "%25"},
      {"zk://h/a%00", "control character"},
      {"zk://h/%ff", "UTF-8"},
      {"local:/a#b", "%23"},
      {"local:/a?x", "name=value"},
      {"local:/a?", "name=value"},
      {"local:/a?=y", "name=value"},
      {"local:/a?x=1&x=2", "twice"},
      {"local:/a?x=1&", "name=value"},
      {many_hosts(50), "more than 49"},
  };
  for (const Expected& row : rows) {
    CAPTURE(row.text);
    const auto url = parse_url(row.text);
    REQUIRE_FALSE(url);
    CHECK(url.error().errc == locker::Errc::invalid);
    CHECK(url.error().code == "bad_url");
    CAPTURE(url.error().message);
    CHECK(url.error().message.find(row.word) != std::string::npos);
    CHECK(url.error().message.find('\x1b') == std::string::npos);
  }
  const auto most = parse_url(many_hosts(49));
  REQUIRE(most);
  CHECK(most->hosts.size() == 49);
}

TEST_CASE("a password in a URL is refused and not repeated") {
  for (const char* text : {"zk://user:hunter2@h:2181/x", "user:hunter2@h", "mysql://:hunter2@h"}) {
    const auto url = parse_url(text);
    REQUIRE_FALSE(url);
    CHECK(url.error().message.find("hunter2") == std::string::npos);
  }
}

TEST_CASE("an unknown parameter is refused with a suggestion") {
  constexpr std::array<std::string_view, 2> known = {"busy_timeout", "mode"};
  const auto check = [&](const char* text) {
    return locker::core::check_parameters(*parse_url(text), known);
  };
  CHECK(check("local:/d"));
  CHECK(check("local:/d?mode=x"));
  const auto near = check("local:/d?mod=x");
  REQUIRE_FALSE(near);
  CHECK(near.error().code == "bad_url");
  CHECK(near.error().message.find("did you mean 'mode'") != std::string::npos);
  const auto far = check("local:/d?colour=x");
  REQUIRE_FALSE(far);
  CHECK(far.error().message.find("busy_timeout mode") != std::string::npos);
  const auto none = locker::core::check_parameters(*parse_url("local:?a=b"), {});
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("takes none") != std::string::npos);
}

TEST_CASE("a path that begins with two slashes is no host") {
  const auto url = parse_url("local:/%2Fh/x");
  REQUIRE(url);
  CHECK(url->path == "//h/x");
  CHECK(url->hosts.empty());
  CHECK(*parse_url(locker::core::to_string(*url)) == *url);
}
