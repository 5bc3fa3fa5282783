#include "core/caret.h"

#include <algorithm>

#include "core/utf8.h"
#include "core/visible_text.h"

namespace locker::core {
namespace {

constexpr std::size_t before_bytes = 60;
constexpr std::size_t after_bytes = 40;

// Moves an offset back to where a character begins, so that a cut never halves one.
std::size_t character_begin(std::string_view text, std::size_t offset) {
  std::size_t begin = offset;
  while (begin > 0 && begin < text.size() && offset - begin < 3 &&
         (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) {
    --begin;
  }
  return begin;
}

}  // namespace

std::string with_caret(std::string_view sentence, std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  std::size_t begin = 0;
  if (offset > before_bytes) begin = character_begin(text, offset - before_bytes);
  std::size_t end = text.size();
  if (text.size() - offset > after_bytes) end = character_begin(text, offset + after_bytes);
  const std::string_view before_caret = text.substr(begin, offset - begin);
  const std::string lead = (begin > 0 ? "…" : "") + visible_text(before_caret);

  std::string out(sentence);
  out += "\n  ";
  out += lead;
  out += visible_text(text.substr(offset, end - offset));
  if (end < text.size()) out += "…";
  out += "\n  ";
  out.append(count_characters(lead), ' ');
  out += '^';
  return out;
}

}  // namespace locker::core
