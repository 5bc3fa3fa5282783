#pragma once

#include <cstddef>
#include <string_view>

namespace locker::core {

// One character of a text and how many bytes it took.
struct Character {
  char32_t code = 0;
  std::size_t size = 1;  // at least 1, so that a reader always gets on
  bool valid = false;    // false: one byte that is no part of well-formed UTF-8; `code` is the byte
};

// Reads the character at the front of a text that is not empty. Overlong forms, surrogates and
// numbers beyond U+10FFFF are not well-formed.
Character front_character(std::string_view text);

// The offset of the first byte that is not well-formed UTF-8; npos where all of it is.
std::size_t find_bad_utf8(std::string_view text);

// How many characters a text has; a bad byte counts as one.
std::size_t count_characters(std::string_view text);

}  // namespace locker::core
