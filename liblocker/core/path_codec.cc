#include "core/path_codec.h"

#include <algorithm>

#include "core/lock_name.h"
#include "core/utf8.h"

namespace locker::core {
namespace {

constexpr std::string_view hive_specials = "\"#%'*/:=?\\{[]^";

bool needs_escape(const Character& character) {
  const char32_t code = character.code;
  if (!character.valid || code < 0x20 || (code >= 0x7F && code <= 0x9F)) return true;
  if (code < 0x7F) return hive_specials.find(static_cast<char>(code)) != std::string_view::npos;
  return (code >= 0xE000 && code <= 0xF8FF) || code >= 0xFFF0;
}

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char letter : bytes) {
    const auto byte = static_cast<unsigned char>(letter);
    out.push_back('%');
    out.push_back(digits[byte >> 4U]);
    out.push_back(digits[byte & 0xFU]);
  }
}

void append_text(std::string& out, std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const Character character = front_character(text.substr(offset));
    const std::string_view bytes = text.substr(offset, character.size);
    if (needs_escape(character)) {
      append_escaped(out, bytes);
    } else {
      out += bytes;
    }
    offset += character.size;
  }
}

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return -1;
}

std::string escape_front(std::string_view name) {
  std::string out;
  append_escaped(out, name.substr(0, 1));
  append_text(out, name.substr(1));
  return out;
}

}  // namespace

std::string escape_name(std::string_view name) {
  if (name.starts_with('.') || is_reserved_name(name)) return escape_front(name);
  std::string out;
  append_text(out, name);
  return out;
}

std::string escape_value(std::string_view value) {
  std::string out;
  append_text(out, value);
  return out;
}

std::string escape_key(std::string_view column, std::string_view value) {
  // No lock node's name has a `=`, so the dot is all that the front of this component needs.
  std::string out = column.starts_with('.') ? escape_front(column) : escape_value(column);
  out.push_back('=');
  append_text(out, value);
  return out;
}

Unescaped unescape(std::string_view escaped) {
  Unescaped result;
  result.text.reserve(escaped.size());
  for (std::size_t offset = 0; offset < escaped.size(); ++offset) {
    if (escaped[offset] != '%') {
      result.text.push_back(escaped[offset]);
      continue;
    }
    const bool whole = offset + 2 < escaped.size();
    const int high = whole ? hex_digit(escaped[offset + 1]) : -1;
    const int low = whole ? hex_digit(escaped[offset + 2]) : -1;
    if (high < 0 || low < 0) {
      result.bad = offset;
      return result;
    }
    result.text.push_back(static_cast<char>(high * 16 + low));
    offset += 2;
  }
  return result;
}

std::optional<std::string> name_of_component(std::string_view component) {
  Unescaped name = unescape(component);
  const bool canonical = name.bad == std::string_view::npos && !name.text.empty() &&
                         escape_name(name.text) == component;
  if (!canonical) return std::nullopt;
  return std::move(name.text);
}

std::optional<ColumnValue> key_of_component(std::string_view component) {
  const std::size_t equals = component.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  Unescaped column = unescape(component.substr(0, equals));
  Unescaped value = unescape(component.substr(equals + 1));
  const bool canonical = column.bad == std::string_view::npos &&
                         value.bad == std::string_view::npos && !value.text.empty() &&
                         escape_key(column.text, value.text) == component;
  if (!canonical) return std::nullopt;
  return ColumnValue{std::move(column.text), std::move(value.text)};
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return out;
}

}  // namespace locker::core
