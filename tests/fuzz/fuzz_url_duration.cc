// Any text is a URL or a duration that is written and read back as itself, or a clean error.
#include <locker/text.h>

#include "core/duration.h"
#include "core/url.h"
#include "core/utf8.h"
#include "tests/fuzz/fuzz.h"

namespace {

void check_error(const locker::Error& error) {
  fuzz::check(error.errc == locker::Errc::invalid);
  fuzz::check(locker::core::find_bad_utf8(error.message) == std::string_view::npos);
  fuzz::check(error.message.find('\n') == std::string::npos);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto url = locker::core::parse_url(text);
  if (url) {
    const auto again = locker::core::parse_url(locker::core::to_string(*url));
    fuzz::check(again && *again == *url);
  } else {
    check_error(url.error());
  }
  const auto duration = locker::parse_duration(text);
  if (duration) {
    fuzz::check(duration->count() >= 0);
    const auto again = locker::parse_duration(locker::format_duration(*duration));
    fuzz::check(again && *again == *duration);
  } else {
    check_error(duration.error());
  }
  return 0;
}
