#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <locker/listing.h>
#include <locker/result.h>

namespace locker::core {

// The longest JSON that is read, and the longest text in it: other processes wrote it.
inline constexpr std::size_t owner_json_limit_bytes = 32 * 1024;
inline constexpr std::size_t owner_text_limit_bytes = 512;

// Writes an OwnerInfo as one compact JSON object, ASCII alone. Texts over the limit are cut at a
// character; bytes that are not UTF-8 become U+FFFD.
std::string owner_to_json(const OwnerInfo& owner);

// Reads what owner_to_json writes. Members that are not known are left to later versions, those
// that are not there are empty. Error: invalid/bad_json (no JSON object, a wrong type, a negative
// or too great number, over a limit).
Result<OwnerInfo> owner_from_json(std::string_view text);

}  // namespace locker::core
