// A node's name from a store is a lock's, a companion's or neither, and is written again as read.
#include "core/lock_name.h"

#include <locker/fencing_token.h>
#include <locker/owner.h>

#include "core/path_codec.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace locker::core;
  const std::string_view text = fuzz::text_of(data, size);
  const auto lock = parse_lock_name(text);
  if (lock) fuzz::check(to_string(*lock) == text);
  const auto companion = parse_companion_name(text);
  if (companion) fuzz::check(to_string(*companion) == text);
  fuzz::check(!(lock && companion));
  fuzz::check(is_reserved_name(text) == (lock || companion));
  fuzz::check(!is_reserved_name(escape_name(text)));

  const auto token = locker::FencingToken::parse(text);
  if (token) fuzz::check(token->to_string() == text);
  const auto owner = locker::Owner::parse(text);
  if (owner) fuzz::check(owner->to_string() == text);
  return 0;
}
