// A head that is let through has one body length, which a second reader, made differently, finds as
// well; all else is a clean error.
#include "lockd/http/framing.h"

#include <cctype>
#include <cstdlib>
#include <string>

#include "core/utf8.h"
#include "lockd/http/access.h"
#include "tests/fuzz/fuzz.h"

namespace {

using locker::lockd::http::BodyKind;
using locker::lockd::http::Head;

// What careless readers do: lines end at any LF, names lose their blanks, the last field wins.
struct Careless {
  int lengths = 0;
  int encodings = 0;
  int hosts = 0;
  std::string length;
  std::string encoding;
};

std::string squeezed(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (code > ' ') result += static_cast<char>(std::tolower(code));
  }
  return result;
}

Careless read_carelessly(std::string_view text) {
  Careless found;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string name = squeezed(line.substr(0, colon));
    const std::string value = squeezed(line.substr(colon + 1));
    if (name == "content-length") ++found.lengths, found.length = value;
    if (name == "transfer-encoding") ++found.encodings, found.encoding = value;
    if (name == "host") ++found.hosts;
  }
  return found;
}

void check_accepted(const Head& head, std::string_view text) {
  const Careless careless = read_carelessly(text);
  fuzz::check(careless.hosts == 1);
  fuzz::check(careless.lengths + careless.encodings <= 1);
  fuzz::check((head.body == BodyKind::chunked) == (careless.encodings == 1));
  if (careless.encodings == 1) fuzz::check(careless.encoding == "chunked" && head.version_1_1);
  const std::uint64_t length =
      careless.lengths == 1 ? std::strtoull(careless.length.c_str(), nullptr, 10) : 0;
  fuzz::check(head.length == length);
  fuzz::check((head.body == BodyKind::length) == (length > 0));
  fuzz::check(head.path.front() == '/');
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto end = locker::lockd::http::find_head_end(text, 0);
  fuzz::check(end.end <= text.size() && !(end.broken && end.end != 0));
  // However the bytes come, the head ends at the same place.
  const auto half = locker::lockd::http::find_head_end(text.substr(0, size / 2), 0);
  if (half.end == 0 && !half.broken) {
    const auto rest = locker::lockd::http::find_head_end(text, size / 2);
    fuzz::check(rest.end == end.end);
  }
  const std::string_view whole = end.end != 0 ? text.substr(0, end.end) : text;
  const auto head = locker::lockd::http::read_head(whole);
  if (!head) {
    fuzz::check(head.error().errc == locker::Errc::invalid);
    fuzz::check(locker::core::find_bad_utf8(head.error().message) == std::string_view::npos);
    return 0;
  }
  fuzz::check(end.end == whole.size());
  check_accepted(*head, whole);
  const std::string decoded = locker::lockd::http::percent_decoded(head->path, false);
  fuzz::check(decoded.find('\0') == std::string::npos && decoded.size() <= head->path.size());
  static_cast<void>(locker::lockd::http::host_allowed(head->only("host"), {}));
  return 0;
}
