// Any text is a configuration's entries, each with a key, or an error that one can read.
#include <locker/errc.h>

#include "cli/config_file.h"
#include "core/utf8.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entries = locker::cli::parse_config(fuzz::text_of(data, size));
  if (entries) {
    for (const locker::cli::ConfigEntry& entry : *entries) {
      fuzz::check(locker::core::find_bad_utf8(entry.key) == std::string_view::npos);
      fuzz::check(locker::core::find_bad_utf8(entry.value) == std::string_view::npos);
    }
  } else {
    const locker::Error& error = entries.error();
    fuzz::check(error.errc == locker::Errc::config);
    fuzz::check(!error.message.empty());
    fuzz::check(locker::core::find_bad_utf8(error.message) == std::string_view::npos);
    fuzz::check(error.message.find('\x1b') == std::string::npos);
  }
  return 0;
}
