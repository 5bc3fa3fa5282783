#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include <locker/fencing_token.h>

namespace locker {
namespace {

constexpr std::size_t coordinator_digits = 16;
constexpr std::size_t local_digits = 9;
constexpr std::uint64_t local_limit = std::uint64_t{1} << 36U;

void append_digits(std::string& out, std::uint64_t number, std::size_t count) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (std::size_t left = count; left > 0; --left) {
    out.push_back(digits[(number >> (4 * (left - 1))) & 0xFU]);
  }
}

// Lower-case hex digits only: a token has one spelling, since its spelling is its order.
std::optional<std::uint64_t> read_digits(std::string_view text) {
  std::uint64_t number = 0;
  for (const char letter : text) {
    const bool decimal = letter >= '0' && letter <= '9';
    const bool alphabetic = letter >= 'a' && letter <= 'f';
    if (!decimal && !alphabetic) return std::nullopt;
    const int digit = decimal ? letter - '0' : letter - 'a' + 10;
    number = (number << 4U) | static_cast<std::uint64_t>(digit);
  }
  return number;
}

}  // namespace

std::string FencingToken::to_string() const {
  std::string out;
  out.reserve(coordinator_digits + 1 + local_digits);
  append_digits(out, coordinator, coordinator_digits);
  out.push_back('-');
  append_digits(out, std::min(local, local_limit - 1), local_digits);
  return out;
}

Result<FencingToken> FencingToken::parse(std::string_view text) {
  const bool shaped =
      text.size() == coordinator_digits + 1 + local_digits && text[coordinator_digits] == '-';
  if (shaped) {
    const auto coordinator = read_digits(text.substr(0, coordinator_digits));
    const auto local = read_digits(text.substr(coordinator_digits + 1));
    if (coordinator && local) return FencingToken{*coordinator, *local};
  }
  return make_error(Errc::invalid, "bad_token",
                    "A fencing token has the form <16 hex digits>-<9 hex digits>, in lower case.");
}

}  // namespace locker
