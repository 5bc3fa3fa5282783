#include <locker/fencing_token.h>

#include <algorithm>
#include <vector>

#include "tests/support/test.h"

using locker::FencingToken;

namespace {

constexpr std::uint64_t most_local = (std::uint64_t{1} << 36U) - 1;

const std::vector<FencingToken> in_order = {{0, 0},
                                            {0, 1},
                                            {0, 15},
                                            {0, 16},
                                            {0, most_local},
                                            {1, 0},
                                            {9, 0},
                                            {10, 0},
                                            {255, 1},
                                            {256, 0},
                                            {std::uint64_t{1} << 63U, 0},
                                            {~std::uint64_t{0}, most_local}};

}  // namespace

TEST_CASE("a token has 26 characters of fixed width") {
  CHECK(FencingToken{}.to_string() == "0000000000000000-000000000");
  CHECK(FencingToken{0x1234abcd, 0x5f}.to_string() == "000000001234abcd-00000005f");
  CHECK(FencingToken{~std::uint64_t{0}, most_local}.to_string() == "ffffffffffffffff-fffffffff");
}

TEST_CASE("string order is token order") {
  CHECK(std::ranges::is_sorted(in_order));
  std::vector<std::string> texts;
  for (const FencingToken& token : in_order) texts.push_back(token.to_string());
  CHECK(std::ranges::is_sorted(texts));
  CHECK(std::ranges::adjacent_find(texts) == texts.end());
}

TEST_CASE("a token is read back, and only in its one spelling") {
  for (const FencingToken& token : in_order) {
    const auto read = FencingToken::parse(token.to_string());
    REQUIRE(read);
    CHECK(*read == token);
  }
  for (const char* bad :
       {"", "-", "0000000000000000000000000", "0000000000000000-00000000",
        "0000000000000000-0000000000", "000000000000000-0000000000", "0000000000000000_000000000",
        "000000000000000A-000000000", "000000000000000g-000000000", "0x00000000000000-000000000",
        " 000000000000000-000000000", "0000000000000000-00000000\n",
        "0000000000000000-+00000000"}) {
    const auto read = FencingToken::parse(bad);
    REQUIRE_FALSE(read);
    CHECK(read.error().errc == locker::Errc::invalid);
    CHECK(read.error().code == "bad_token");
  }
}
