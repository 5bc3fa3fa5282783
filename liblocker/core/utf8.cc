#include "core/utf8.h"

namespace locker::core {
namespace {

// What a lead byte promises: the length, its own bits, and the range of the second byte, which is
// where overlong forms, surrogates and numbers beyond the last character are shut out.
struct Lead {
  std::size_t size = 1;
  char32_t bits = 0;
  unsigned char second_low = 0x80;
  unsigned char second_high = 0xBF;
};

bool read_lead(unsigned char byte, Lead& lead) {
  if (byte >= 0xC2 && byte <= 0xDF) {
    lead = {.size = 2, .bits = static_cast<char32_t>(byte & 0x1FU)};
  } else if (byte >= 0xE0 && byte <= 0xEF) {
    lead = {.size = 3, .bits = static_cast<char32_t>(byte & 0x0FU)};
    if (byte == 0xE0) lead.second_low = 0xA0;
    if (byte == 0xED) lead.second_high = 0x9F;
  } else if (byte >= 0xF0 && byte <= 0xF4) {
    lead = {.size = 4, .bits = static_cast<char32_t>(byte & 0x07U)};
    if (byte == 0xF0) lead.second_low = 0x90;
    if (byte == 0xF4) lead.second_high = 0x8F;
  } else {
    return false;
  }
  return true;
}

}  // namespace

Character front_character(std::string_view text) {
  const auto byte_at = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char first = byte_at(0);
  if (first < 0x80) return {.code = first, .size = 1, .valid = true};
  const Character bad{.code = first, .size = 1, .valid = false};
  Lead lead;
  if (!read_lead(first, lead) || text.size() < lead.size) return bad;
  if (byte_at(1) < lead.second_low || byte_at(1) > lead.second_high) return bad;
  char32_t code = lead.bits;
  for (std::size_t index = 1; index < lead.size; ++index) {
    if ((byte_at(index) & 0xC0U) != 0x80U) return bad;
    code = (code << 6U) | (byte_at(index) & 0x3FU);
  }
  return {.code = code, .size = lead.size, .valid = true};
}

std::size_t find_bad_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const Character character = front_character(text.substr(offset));
    if (!character.valid) return offset;
    offset += character.size;
  }
  return std::string_view::npos;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t offset = 0; offset < text.size(); ++count) {
    offset += front_character(text.substr(offset)).size;
  }
  return count;
}

}  // namespace locker::core
