#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// What a fuzz target needs: the entry that libFuzzer calls, and a check that ends the process, so
// that the input is kept. A target never tells its input by looking at what it expects: it states
// what holds for every input.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace fuzz
