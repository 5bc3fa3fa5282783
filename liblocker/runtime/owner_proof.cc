#include "runtime/owner_proof.h"

#include <array>
#include <cstddef>

#include <openssl/sha.h>

namespace locker::runtime {

std::string text_hash(std::string_view text) {
  constexpr std::size_t kept_bytes = 16;
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  std::string out;
  for (std::size_t i = 0; i < kept_bytes; ++i) {
    out += digits[hash[i] >> 4U];
    out += digits[hash[i] & 15U];
  }
  return out;
}

std::string owner_proof(const Owner& owner) {
  return text_hash("locker owner " + owner.to_string());
}

}  // namespace locker::runtime
