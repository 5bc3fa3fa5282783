#include "core/suggest.h"

#include <algorithm>
#include <vector>

#include "core/path_codec.h"

namespace locker::core {
namespace {

constexpr std::size_t most_edits = 2;
// Longer words are no slips of the hand, and comparing them costs their square.
constexpr std::size_t longest_word = 256;

template <typename Word>
std::optional<std::string> nearest_of(std::string_view word, std::span<const Word> words) {
  std::optional<std::string> nearest;
  std::size_t least = most_edits + 1;
  for (const Word& candidate : words) {
    const std::size_t distance = edit_distance(word, candidate);
    const bool near = 2 * distance <= std::max(word.size(), candidate.size());
    if (near && distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace

std::size_t edit_distance(std::string_view left_text, std::string_view right_text) {
  const std::size_t longer = std::max(left_text.size(), right_text.size());
  if (longer > longest_word) return left_text == right_text ? 0 : longer;
  const std::string left = lower_ascii(left_text);
  const std::string right = lower_ascii(right_text);
  // Rows of the distances between the beginnings of both: the one in work and the two before it.
  std::vector<std::size_t> before_last(right.size() + 1);
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t column = 0; column <= right.size(); ++column) row[column] = column;
  for (std::size_t line = 1; line <= left.size(); ++line) {
    before_last.swap(last);
    last.swap(row);
    row[0] = line;
    for (std::size_t column = 1; column <= right.size(); ++column) {
      const std::size_t change = left[line - 1] == right[column - 1] ? 0 : 1;
      row[column] = std::min({last[column] + 1, row[column - 1] + 1, last[column - 1] + change});
      const bool swapped = line > 1 && column > 1 && left[line - 1] == right[column - 2] &&
                           left[line - 2] == right[column - 1];
      if (swapped) row[column] = std::min(row[column], before_last[column - 2] + 1);
    }
  }
  return row[right.size()];
}

std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> words) {
  return nearest_of(word, words);
}

std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string_view> words) {
  return nearest_of(word, words);
}

}  // namespace locker::core
