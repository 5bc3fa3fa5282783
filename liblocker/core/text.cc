#include <locker/text.h>

#include <algorithm>

#include "core/duration.h"
#include "core/suggest.h"
#include "core/visible_text.h"

namespace locker {

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  return core::parse_duration(text);
}

std::string format_duration(std::chrono::milliseconds duration) {
  return core::format_duration(duration);
}

std::string_view suggest(std::string_view word, std::span<const std::string_view> candidates) {
  const auto nearest = core::nearest_word(word, candidates);
  if (!nearest) return {};
  // The candidate itself and not the copy, so that the view lives as long as the candidates do.
  return *std::ranges::find(candidates, *nearest);
}

std::string visible(std::string_view text) {
  return core::visible_text(text);
}

}  // namespace locker
