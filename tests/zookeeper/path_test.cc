#include <string>
#include <vector>

#include "backends/zookeeper/path_rules.h"
#include "tests/support/test.h"
#include "tests/zookeeper/support.h"

namespace locker::tests {

using backends::zookeeper::check_path;
using backends::zookeeper::check_sequence_path;
using backends::zookeeper::HandlePtr;
using backends::zookeeper::NodeKind;

namespace {

// Names of one node that ZooKeeper takes.
std::vector<std::string> good_names() {
  return {"a",
          "dt=2023-05-01",
          "...",
          "..a",
          ".a",
          "a.",
          "a..",
          " ",
          "a b",
          "~",
          "%2F",
          "\\",
          "\"",
          "'",
          "*",
          ":",
          "\xC2\xA0",      // U+00A0
          "e\xCC\x81",     // e and a combining accent
          "\xC3\xA9",      // the same in one
          "\xED\x9F\xBF",  // U+D7FF
          "\xEF\xA4\x80",  // U+F900
          "\xEF\xBB\xBF",  // U+FEFF
          "\xEF\xBF\xAF",  // U+FFEF
          "\xE5\x88\x86\xE5\x8C\xBA",
          "\xE2\x80\xAE",  // U+202E
          std::string(300, 'x')};
}

// And those that it refuses, or that would not come back as they were sent.
std::vector<std::string> bad_names() {
  return {"",
          ".",
          "..",
          std::string(1, '\0'),
          std::string("a\0b", 3),
          "\x01",
          "a\n",
          "\t",
          "\x1E",
          "\x1F",
          "\x7F",
          "\xC2\x80",          // U+0080
          "\xC2\x85",          // U+0085
          "\xC2\x9F",          // U+009F
          "\xED\xA0\x80",      // a surrogate
          "\xEE\x80\x80",      // U+E000
          "\xEF\xA3\xBF",      // U+F8FF
          "\xEF\xBF\xB0",      // U+FFF0
          "\xEF\xBF\xBD",      // U+FFFD
          "\xEF\xBF\xBF",      // U+FFFF
          "\xF0\x9F\x94\x92",  // U+1F512
          "\xF3\xB0\x80\x80",  // U+F0000
          "\xFF",
          "\xC3",
          "\x80",
          "\xC0\xAF"};  // a slash that is too long
}

}  // namespace

TEST_CASE("paths that ZooKeeper takes") {
  CHECK(check_path("/"));
  CHECK(check_path("/a/b"));
  for (const std::string& name : good_names()) {
    INFO(name);
    CHECK(check_path("/" + name));
    CHECK(check_path("/a/" + name));
    CHECK(check_path("/" + name + "/a"));
  }
}

TEST_CASE("paths that ZooKeeper refuses") {
  for (const char* path : {"", "a", "a/b", "//", "/a/", "/a//b"}) {
    CHECK(check_path(path).error().code == "bad_path");
  }
  for (const std::string& name : bad_names()) {
    INFO(name);
    CHECK(check_path("/" + name + "/a").error().code == "bad_path");
    CHECK(check_path("/a/" + name).error().code == "bad_path");
  }
  CHECK(check_path("/" + std::string(65536, 'x')).error().errc == Errc::too_large);
}

TEST_CASE("a sequence completes the last name") {
  CHECK(check_sequence_path("/a/"));
  CHECK(check_sequence_path("/a/."));
  CHECK(check_sequence_path("/a/lock-"));
  CHECK(!check_sequence_path("/a//"));
  CHECK(!check_sequence_path("a"));
}

TEST_CASE("the server takes what the rules let through, under the same name") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::string folder = host.folder(handle);
  for (const std::string& name : good_names()) {
    INFO(name);
    const std::string path = folder + "/" + name;
    const auto made = host.answer(handle->create(path, "", NodeKind::persistent));
    REQUIRE(made);
    CHECK(made->path == path);
    CHECK(host.answer(handle->children(folder)).value() == std::vector<std::string>{name});
    host.answer(handle->remove(path)).value();
  }
  const auto numbered =
      host.answer(handle->create(folder + "/", "", NodeKind::ephemeral_sequential)).value();
  CHECK(host.answer(handle->exists(numbered.path)));
  for (const std::string& name : bad_names()) {
    CHECK(host.answer(handle->exists(folder + "/" + name)).error().code == "bad_path");
  }
  host.close(handle);
}

}  // namespace locker::tests
