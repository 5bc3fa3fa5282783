#pragma once

#include <string>
#include <string_view>

#include <locker/owner.h>

namespace locker::runtime {

// What a coordinator keeps so that a child process can show that it was handed this owner: a hash,
// 32 hex digits, from which nobody who reads the coordinator gets the secret.
std::string owner_proof(const Owner& owner);

// The first 128 bits of the SHA-256 of a text, 32 lower-case hex digits.
std::string text_hash(std::string_view text);

}  // namespace locker::runtime
