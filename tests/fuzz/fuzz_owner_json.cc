// Any text is an owner that is written and read back as itself, or an error; any text in an owner
// survives.
#include "core/owner_json.h"

#include <string>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using locker::core::owner_from_json;
  using locker::core::owner_to_json;
  const std::string_view text = fuzz::text_of(data, size);
  const auto owner = owner_from_json(text);
  if (owner) {
    const std::string written = owner_to_json(*owner);
    fuzz::check(written.size() <= locker::core::owner_json_limit_bytes);
    const auto again = owner_from_json(written);
    fuzz::check(again.has_value());
    fuzz::check(owner_to_json(*again) == written);
  } else {
    fuzz::check(owner.error().code == "bad_json");
  }
  locker::OwnerInfo described;
  described.host = text;
  described.reason = text;
  const std::string written = owner_to_json(described);
  const auto again = owner_from_json(written);
  fuzz::check(again.has_value());
  fuzz::check(owner_to_json(*again) == written);
  return 0;
}
