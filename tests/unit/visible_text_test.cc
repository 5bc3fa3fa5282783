#include "core/visible_text.h"

#include <random>

#include "core/utf8.h"
#include "tests/support/test.h"

using locker::core::visible_text;

TEST_CASE("S12: an owner's text cannot steer a terminal or a log") {
  CHECK(visible_text("a\n{\"level\":\"grant\"}") == "a\\x0a{\"level\":\"grant\"}");
  CHECK(visible_text("\x1b[2J") == "\\x1b[2J");
  CHECK(visible_text("\r\t\x7f") == "\\x0d\\x09\\x7f");
  CHECK(visible_text(std::string_view("\0", 1)) == "\\x00");
  CHECK(visible_text("\u009b31m") == "\\u{9b}31m");
  CHECK(visible_text("\u202egnp.exe") == "\\u{202e}gnp.exe");
  CHECK(visible_text("\u2066\u2069\u200f\u200b\ufeff\u2028") ==
        "\\u{2066}\\u{2069}\\u{200f}\\u{200b}\\u{feff}\\u{2028}");
  CHECK(visible_text("\U000E0041") == "\\u{e0041}");
  CHECK(visible_text("a\xff\xc3") == "a\\xff\\xc3");
}

TEST_CASE("what people write stays as it is") {
  for (const char* plain : {"", "etl job 7", "C:\\x0a", "größe", "日本", "👩‍🚀", "a\"b'c"}) {
    CHECK(visible_text(plain) == plain);
  }
}

TEST_CASE("any bytes become one visible line, and stay the same when shown again") {
  std::mt19937 random(20230501);
  std::uniform_int_distribution<int> byte(0, 255);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int count = byte(random) % 24; count > 0; --count) {
      text.push_back(static_cast<char>(byte(random)));
    }
    const std::string shown = visible_text(text);
    CAPTURE(round, shown);
    CHECK(locker::core::find_bad_utf8(shown) == std::string_view::npos);
    for (const char letter : shown) CHECK((letter < 0 || (letter >= 0x20 && letter != 0x7F)));
    CHECK(visible_text(shown) == shown);
  }
}
