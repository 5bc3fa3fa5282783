#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace locker::core {

// How many letters have to be changed, added, left out or swapped with their neighbour to make one
// word of the other; ASCII case does not count.
std::size_t edit_distance(std::string_view left, std::string_view right);

// The nearest of `words` for a "did you mean", the first of equals; nothing where even the nearest
// is more than two edits away, or more than half of its letters.
std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> words);
std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string_view> words);

}  // namespace locker::core
