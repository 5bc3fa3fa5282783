#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include <locker/result.h>

namespace locker {

// The proof of a grant: strictly greater than every earlier token of a conflicting grant, across
// restarts of everything. Whoever stores data keeps the greatest token seen and refuses smaller
// ones; so a writer that lost its lock without noticing can do no harm.
struct FencingToken {
  std::uint64_t coordinator =
      0;                    // the coordinator's number for the request, e.g. ZooKeeper's czxid
  std::uint64_t local = 0;  // the sequence below it, less than 2^36

  // 26 characters of fixed width, `<16 hex digits>-<9 hex digits>`: string order is token order.
  std::string to_string() const;

  // Reads what to_string wrote. Error: invalid.
  static Result<FencingToken> parse(std::string_view text);

  friend auto operator<=>(const FencingToken&, const FencingToken&) = default;
};

}  // namespace locker
