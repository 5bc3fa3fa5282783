#include "core/random_id.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <sys/random.h>

namespace locker::core {

std::string random_id() {
  std::array<unsigned char, 16> bytes{};
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = getrandom(&bytes[filled], bytes.size() - filled, 0);
    if (count > 0) {
      filled += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      // Owners that can be guessed or repeated are worse than none.
      std::abort();
    }
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text.push_back(digits[byte >> 4U]);
    text.push_back(digits[byte & 0xFU]);
  }
  return text;
}

}  // namespace locker::core
