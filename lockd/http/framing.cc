#include "lockd/http/framing.h"

#include <algorithm>
#include <array>
#include <optional>

namespace locker::lockd::http {
namespace {

constexpr std::string_view line_end = "\r\n";

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

char lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                              : character;
}

bool is_token_character(char character) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  const char small = lower(character);
  return is_digit(character) || (small >= 'a' && small <= 'z') ||
         marks.find(character) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

int hex_value(char character) {
  if (is_digit(character)) return character - '0';
  const char small = lower(character);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

Error bad(std::string message) {
  return make_error(Errc::invalid, "bad_request", std::move(message));
}

// Visible ASCII without `#`, where each escape is whole and none is a NUL.
bool is_target(std::string_view text) {
  for (std::size_t index = 0; index < text.size(); ++index) {
    const char character = text[index];
    if (character <= ' ' || character > '~' || character == '#') return false;
    if (character != '%') continue;
    if (index + 2 >= text.size()) return false;
    const int high = hex_value(text[index + 1]);
    const int low = hex_value(text[index + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return false;
  }
  return true;
}

std::optional<Error> read_request_line(std::string_view line, Head& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return bad("The request line is not `METHOD /path HTTP/1.1`.");
  }
  head.method = line.substr(0, first);
  if (!is_token(head.method)) return bad("The method is not a word.");
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return bad("Only HTTP/1.1 and HTTP/1.0 are spoken here.");
  }
  head.version_1_1 = version == "HTTP/1.1";
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (target.empty() || target.front() != '/') {
    return bad("The target must be a path that begins with a slash.");
  }
  if (!is_target(target)) return bad("The target has characters that must be percent-encoded.");
  const std::size_t mark = target.find('?');
  head.path = target.substr(0, mark);
  if (mark != std::string_view::npos) head.query = target.substr(mark + 1);
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<Error> read_field(std::string_view line, Head& head) {
  if (line.front() == ' ' || line.front() == '\t') return bad("A header is folded.");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return bad("A header has no valid name.");
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  const auto is_control = [](char character) {
    const auto code = static_cast<unsigned char>(character);
    return (code < 0x20 && character != '\t') || code == 0x7f;
  };
  if (std::any_of(value.begin(), value.end(), is_control)) {
    return bad("A header has a control character in its value.");
  }
  head.fields.emplace_back(line.substr(0, colon), value);
  return std::nullopt;
}

std::optional<Error> check_twins(const Head& head) {
  constexpr std::array<std::string_view, 7> single = {
      "host",          "content-length", "transfer-encoding", "content-type", "origin",
      "authorization", "expect"};
  for (const std::string_view name : single) {
    const auto count =
        std::count_if(head.fields.begin(), head.fields.end(),
                      [name](const auto& field) { return same_word(field.first, name); });
    if (count > 1) return bad("The header " + std::string(name) + " stands there more than once.");
  }
  return std::nullopt;
}

std::optional<Error> read_body_kind(Head& head) {
  const bool has_length = head.has("content-length");
  if (head.has("transfer-encoding")) {
    if (head.only("transfer-encoding") != "chunked") {
      return bad("The only transfer encoding is `chunked`.");
    }
    if (!head.version_1_1) return bad("HTTP/1.0 knows no chunks.");
    if (has_length) return bad("There is a Content-Length beside a Transfer-Encoding.");
    head.body = BodyKind::chunked;
    return std::nullopt;
  }
  if (!has_length) return std::nullopt;
  const std::string_view length = head.only("content-length");
  // Eighteen digits fit into 64 bits without a look at each.
  constexpr std::size_t most_digits = 18;
  if (length.empty() || length.size() > most_digits ||
      !std::all_of(length.begin(), length.end(), is_digit)) {
    return bad("Content-Length is not one number.");
  }
  for (const char digit : length) {
    head.length = head.length * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  head.body = head.length == 0 ? BodyKind::none : BodyKind::length;
  return std::nullopt;
}

bool has_option(const Head& head, std::string_view option) {
  for (const auto& [name, value] : head.fields) {
    if (!same_word(name, "connection")) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      if (same_word(trimmed(rest.substr(0, comma)), option)) return true;
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
  }
  return false;
}

std::optional<Error> conclude(Head& head) {
  if (auto error = check_twins(head)) return error;
  if (!head.has("host")) return bad("There is no Host header.");
  if (auto error = read_body_kind(head)) return error;
  head.keep_alive =
      !has_option(head, "close") && (head.version_1_1 || has_option(head, "keep-alive"));
  if (head.has("expect")) {
    if (!same_word(head.only("expect"), "100-continue")) {
      return bad("The only expectation that can be met is `100-continue`.");
    }
    head.expects_continue = head.version_1_1;
  }
  return std::nullopt;
}

}  // namespace

std::string_view Head::only(std::string_view lower_case_name) const {
  for (const auto& [name, value] : fields) {
    if (same_word(name, lower_case_name)) return value;
  }
  return {};
}

bool Head::has(std::string_view lower_case_name) const {
  return std::any_of(fields.begin(), fields.end(), [lower_case_name](const auto& field) {
    return same_word(field.first, lower_case_name);
  });
}

bool same_word(std::string_view one, std::string_view other) {
  return one.size() == other.size() &&
         std::equal(one.begin(), one.end(), other.begin(),
                    [](char left, char right) { return lower(left) == lower(right); });
}

HeadEnd find_head_end(std::string_view bytes, std::size_t seen) {
  for (std::size_t at = bytes.find('\n', seen); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes[at - 1] != '\r') return {.end = 0, .broken = true};
    // An empty line before the request line is no head either.
    if (at == 1) return {.end = 0, .broken = true};
    if (at >= 3 && bytes[at - 2] == '\n') return {.end = at + 1, .broken = false};
  }
  const std::string_view fresh = bytes.substr(std::min(seen, bytes.size()));
  return {.end = 0, .broken = fresh.find('\0') != std::string_view::npos};
}

Result<Head> read_head(std::string_view text) {
  Head head;
  bool first = true;
  while (true) {
    const std::size_t end = text.find(line_end);
    if (end == std::string_view::npos) return bad("The head has no empty line at its end.");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + line_end.size());
    if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) {
      return bad("A line of the head does not end with CR and LF.");
    }
    if (line.empty()) break;
    const std::optional<Error> error =
        first ? read_request_line(line, head) : read_field(line, head);
    if (error) return *error;
    first = false;
  }
  if (first || !text.empty()) return bad("The head has an empty line in the wrong place.");
  if (const std::optional<Error> error = conclude(head)) return *error;
  return head;
}

std::string percent_decoded(std::string_view text, bool is_query) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] == '%' && index + 2 < text.size()) {
      const int value = hex_value(text[index + 1]) * 16 + hex_value(text[index + 2]);
      decoded += static_cast<char>(value);
      index += 2;
    } else {
      decoded += is_query && text[index] == '+' ? ' ' : text[index];
    }
  }
  return decoded;
}

}  // namespace locker::lockd::http
