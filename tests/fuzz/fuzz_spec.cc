// Any text is a spec that is written and read back as itself, or an error fit for a terminal.
#include <string>
#include <vector>

#include <locker/partition_spec.h>

#include "core/resource.h"
#include "core/utf8.h"
#include "tests/fuzz/fuzz.h"

namespace {

void check_spec(const locker::Result<locker::PartitionSpec>& parsed) {
  if (!parsed) {
    const locker::Error& error = parsed.error();
    fuzz::check(error.errc == locker::Errc::invalid);
    fuzz::check(locker::core::find_bad_utf8(error.message) == std::string_view::npos);
    fuzz::check(error.message.find('\x1b') == std::string::npos);
    fuzz::check(error.message.ends_with('^'));
    return;
  }
  fuzz::check(parsed->check().has_value());
  const auto again = locker::PartitionSpec::parse(parsed->to_string());
  fuzz::check(again && *again == *parsed);
  fuzz::check(again->to_string() == parsed->to_string());
  const auto from_path = locker::core::Resource::from_path(parsed->path()).spec();
  fuzz::check(from_path && *from_path == *parsed);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check_spec(locker::PartitionSpec::parse(text));
  check_spec(locker::PartitionSpec::parse_words(split(text)));
  return 0;
}
