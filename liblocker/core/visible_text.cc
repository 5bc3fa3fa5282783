#include "core/visible_text.h"

#include <algorithm>
#include <array>

#include "core/utf8.h"

namespace locker::core {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Beyond ASCII: what steers, what breaks lines, and what can't be seen. The joiners U+200C and
// U+200D are left alone, since scripts and emoji are spelled with them.
constexpr std::array unseen = std::to_array<Range>({
    {0x80, 0x9F},         // C1: a terminal may take U+009B for ESC [
    {0xAD, 0xAD},         // soft hyphen
    {0x61C, 0x61C},       // Arabic letter mark
    {0x180E, 0x180E},     // Mongolian vowel separator
    {0x200B, 0x200B},     // zero width space
    {0x200E, 0x200F},     // direction marks
    {0x2028, 0x202E},     // line and paragraph separators, direction embeddings and overrides
    {0x2060, 0x206F},     // word joiner, invisible operators, direction isolates
    {0xFEFF, 0xFEFF},     // byte order mark
    {0xFFF0, 0xFFFB},     // unassigned and interlinear annotation
    {0xFFFE, 0xFFFF},     // no characters
    {0xE0000, 0x10FFFF},  // tags, private planes
});

void append_hex(std::string& out, char32_t code, int least_digits) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string reversed;
  for (; code != 0 || least_digits > 0; code >>= 4U, --least_digits) {
    reversed.push_back(digits[code & 0xFU]);
  }
  out.append(reversed.rbegin(), reversed.rend());
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t offset = 0; offset < text.size();) {
    const Character character = front_character(text.substr(offset));
    const bool hidden = std::ranges::any_of(unseen, [&](const Range& range) {
      return character.code >= range.first && character.code <= range.last;
    });
    if (!character.valid || character.code < 0x20 || character.code == 0x7F) {
      out += "\\x";
      append_hex(out, character.code, 2);
    } else if (hidden) {
      out += "\\u{";
      append_hex(out, character.code, 1);
      out += '}';
    } else {
      out += text.substr(offset, character.size);
    }
    offset += character.size;
  }
  return out;
}

}  // namespace locker::core
