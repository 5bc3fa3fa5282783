#include "core/caret.h"

#include "tests/support/test.h"

using locker::core::with_caret;

TEST_CASE("the caret stands under the offending character") {
  CHECK(with_caret("No.", "ods.t/dt", 6) == "No.\n  ods.t/dt\n        ^");
  CHECK(with_caret("No.", "", 0) == "No.\n  \n  ^");
  CHECK(with_caret("No.", "ab", 2) == "No.\n  ab\n    ^");
  CHECK(with_caret("No.", "ab", 99) == "No.\n  ab\n    ^");
}

TEST_CASE("columns are characters, of the text as it is shown") {
  CHECK(with_caret("No.", "日本x", 6) == "No.\n  日本x\n    ^");
  CHECK(with_caret("No.", "\x1bx", 1) == "No.\n  \\x1bx\n      ^");
}

TEST_CASE("of a long text the surroundings are shown") {
  const std::string text = std::string(500, 'a') + "!" + std::string(500, 'b');
  const std::string expected = "No.\n  …" + std::string(60, 'a') + "!" + std::string(39, 'b') +
                               "…\n  " + std::string(61, ' ') + "^";
  CHECK(with_caret("No.", text, 500) == expected);
}

TEST_CASE("a cut does not halve a character") {
  std::string text;
  for (int count = 0; count < 200; ++count) text += "本";
  for (const std::size_t offset : {300U, 303U, 306U, 309U}) {
    CHECK(with_caret("No.", text, offset).find("\\x") == std::string::npos);
  }
}
