#include "core/path_codec.h"

#include <set>

#include "tests/support/test.h"

using namespace locker::core;

TEST_CASE("what Hive escapes is escaped as Hive does it") {
  CHECK(escape_value("a/b") == "a%2Fb");
  CHECK(escape_value("50%") == "50%25");
  CHECK(escape_value("x y") == "x y");
  CHECK(escape_value("2024-01-01 00:00:00") == "2024-01-01 00%3A00%3A00");
  CHECK(escape_value("\"#%'*/:=?\\{[]^") == "%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%5B%5D%5E");
  CHECK(escape_value("\n\x7f\x01\x1f") == "%0A%7F%01%1F");
  CHECK(escape_value(std::string_view("\0", 1)) == "%00");
  const std::string left_alone = " !$&()+,-.0123456789;<>@ABCXYZ_`abcxyz|}~";
  CHECK(escape_value(left_alone) == left_alone);
  CHECK(escape_value("日本") == "日本");
  CHECK(escape_value("é") == "é");
}

TEST_CASE("what ZooKeeper refuses is escaped too") {
  CHECK(escape_value("\u0080\u009f\u00a0") == "%C2%80%C2%9F\u00a0");
  CHECK(escape_value("\ue000\uf8ff\uf900") == "%EE%80%80%EF%A3%BF\uf900");
  CHECK(escape_value("\ud7ff\uffef\ufff0\uffff") == "\ud7ff\uffef%EF%BF%B0%EF%BF%BF");
  CHECK(escape_value("\U0001F600") == "%F0%9F%98%80");
  CHECK(escape_value("\xff") == "%FF");
}

TEST_CASE("a component cannot climb, hide or pass for a lock") {
  CHECK(escape_name(".") == "%2E");
  CHECK(escape_name("..") == "%2E.");
  CHECK(escape_name(".coarse") == "%2Ecoarse");
  CHECK(escape_name("a.b") == "a.b");
  CHECK(escape_name("zookeeper") == "zookeeper");
  const std::string lock = "lock_x_0123456789abcdef-lock-0000000001";
  CHECK(escape_name(lock) == "%6C" + lock.substr(1));
  CHECK(escape_name("m_s_0123456789abcdef") == "%6D_s_0123456789abcdef");
  CHECK(escape_name("m_s_daily") == "m_s_daily");
  CHECK(escape_key(".hidden", ".") == "%2Ehidden=.");
  CHECK(escape_key("a/b", "c=d") == "a%2Fb=c%3Dd");
}

TEST_CASE("any spelling is undone, a lone percent sign is found") {
  CHECK(unescape("a%2Fb%2f%41").text == "a/b/A");
  CHECK(unescape("a%2Fb").bad == std::string_view::npos);
  CHECK(unescape("%00").text == std::string(1, '\0'));
  CHECK(unescape("").text.empty());
  CHECK(unescape("%").bad == 0);
  CHECK(unescape("50%").bad == 2);
  CHECK(unescape("ab%4").bad == 2);
  CHECK(unescape("%41%zz").bad == 3);
  CHECK(unescape("% 1").bad == 0);
}

TEST_CASE("from a store only the one spelling is read") {
  CHECK(name_of_component("user_info") == "user_info");
  CHECK(name_of_component("%2E.") == "..");
  for (const char* bad : {"", ".", "..", ".x", "%2e", "%41", "a%2fb", "a/b", "50%", "a:b", "\xff",
                          "\u0085", "m_s_0123456789abcdef"}) {
    CAPTURE(bad);
    CHECK_FALSE(name_of_component(bad));
  }
  const auto key = key_of_component("dt=a%2Fb");
  REQUIRE(key);
  CHECK(key->column == "dt");
  CHECK(key->value == "a/b");
  for (const char* bad : {"", "=", "=x", "dt", "dt=", "dt=a/b", "dt=a=b", "dt=%41", ".x=1",
                          "d%2ft=1", "dt=%", "dt=\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(key_of_component(bad));
  }
}

TEST_CASE("every byte pair has a spelling of its own") {
  std::set<std::string> spellings;
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second)};
      const std::string spelling = escape_name(text);
      if (!spellings.insert(spelling).second || unescape(spelling).text != text) FAIL(spelling);
      if (spelling.find('/') != std::string::npos || spelling.starts_with('.')) FAIL(spelling);
    }
  }
  CHECK(spellings.size() == 65536);
}

TEST_CASE("only ASCII letters are lowered") {
  CHECK(lower_ascii("DB.Ä_Z") == "db.Ä_z");
}
