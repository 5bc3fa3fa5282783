#include "core/utf8.h"

#include <string>

#include "tests/support/test.h"

using namespace locker::core;

TEST_CASE("characters of every length are read") {
  const auto reads = [](std::string_view text, char32_t code) {
    const Character character = front_character(text);
    return character.valid && character.code == code && character.size == text.size();
  };
  CHECK(reads("a", U'a'));
  CHECK(reads(std::string_view("\0", 1), 0));
  CHECK(reads("\u0080", 0x80));
  CHECK(reads("\u07FF", 0x7FF));
  CHECK(reads("\u0800", 0x800));
  CHECK(reads("\uD7FF", 0xD7FF));
  CHECK(reads("\uE000", 0xE000));
  CHECK(reads("\uFFFF", 0xFFFF));
  CHECK(reads("\U00010000", 0x10000));
  CHECK(reads("\U0010FFFF", 0x10FFFF));
}

TEST_CASE("what is no UTF-8 is one bad byte") {
  for (const char* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2z", "\xE0\x9F\xBF", "\xE2\x82",
        "\xE2\x82z", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFE", "\xFF"}) {
    const Character character = front_character(bad);
    CHECK_FALSE(character.valid);
    CHECK(character.size == 1);
    CHECK(find_bad_utf8(bad) == 0);
    CHECK(find_bad_utf8(std::string("ä") + bad) == 2);
  }
  CHECK(find_bad_utf8("日本 ä \U0001F600") == std::string_view::npos);
  CHECK(find_bad_utf8("") == std::string_view::npos);
}

TEST_CASE("characters are counted, bad bytes too") {
  CHECK(count_characters("") == 0);
  CHECK(count_characters("日本") == 2);
  CHECK(count_characters("a\xFF\xFEz") == 4);
}
