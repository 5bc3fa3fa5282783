#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace locker::core {

// A message that points into a text: the sentence, then the text on a line of its own, made
// visible and cut down to the surroundings of the offence, then a caret under the character at
// byte `offset` (the text's size: behind its end). Columns are counted in characters.
std::string with_caret(std::string_view sentence, std::string_view text, std::size_t offset);

}  // namespace locker::core
