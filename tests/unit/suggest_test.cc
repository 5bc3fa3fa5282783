#include "core/suggest.h"

#include <locker/text.h>

#include <vector>

#include "tests/support/test.h"

using locker::core::edit_distance;
using locker::core::nearest_word;

TEST_CASE("edits are changes, additions, omissions and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "ab") == 2);
  CHECK(edit_distance("timeout", "timeout") == 0);
  CHECK(edit_distance("timeout", "TimeOut") == 0);
  CHECK(edit_distance("timout", "timeout") == 1);
  CHECK(edit_distance("timeotu", "timeout") == 1);
  CHECK(edit_distance("rimeotu", "timeout") == 2);
  CHECK(edit_distance("ct", "city") == 2);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest word is suggested, or none") {
  const std::vector<std::string> words = {"timeout", "reason", "owner", "dt"};
  CHECK(nearest_word("timout", words) == "timeout");
  CHECK(nearest_word("raeson", words) == "reason");
  CHECK(nearest_word("dtt", words) == "dt");
  CHECK_FALSE(nearest_word("x", words));
  CHECK_FALSE(nearest_word("something", words));
  CHECK_FALSE(nearest_word("", words));
  CHECK_FALSE(nearest_word(std::string(100'000, 'a'), words));
  CHECK_FALSE(nearest_word("timeout", std::vector<std::string>()));
  const std::vector<std::string> near = {"bat", "cat"};
  CHECK(nearest_word("hat", near) == "bat");
  CHECK(nearest_word("cat", near) == "cat");
}

TEST_CASE("a suggestion is one of the candidates itself") {
  static constexpr std::string_view candidates[] = {"run", "try"};
  const std::string_view found = locker::suggest("tyr", candidates);
  CHECK(found.data() == candidates[1].data());
  CHECK(locker::suggest("explain", candidates).empty());
}
