// Any body is a message of the daemon's, or an error that one can read; a message that was read is
// written, read and written again to the same text.
#include <string>
#include <string_view>

#include <locker/errc.h>

#include "core/utf8.h"
#include "lockd/protocol/json.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace locker;
using namespace locker::lockd;

void check_error(const Error& error) {
  fuzz::check(error.errc == Errc::invalid);
  fuzz::check(!error.message.empty());
  fuzz::check(core::find_bad_utf8(error.message) == std::string_view::npos);
  fuzz::check(error.message.find('\x1b') == std::string::npos);
}

template <typename T>
void check_message(std::string_view body, Result<T> (*read)(std::string_view)) {
  const Result<T> message = read(body);
  if (!message) return check_error(message.error());
  const std::string text = to_json(*message);
  const Result<T> again = read(text);
  fuzz::check(again.has_value());
  fuzz::check(to_json(*again) == text);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body = fuzz::text_of(data, size);
  check_message(body, read_open_session);
  check_message(body, read_renew);
  check_message(body, read_renewed);
  check_message(body, read_ask_lock);
  check_message(body, read_held_lock);
  check_message(body, read_record_under_lock);
  check_message(body, read_release_by_name);
  check_message(body, read_look);
  check_message(body, read_check_token);
  check_message(body, read_contenders);
  check_message(body, read_table_columns);
  check_message(body, read_register_table);
  check_message(body, read_prepare);
  const Error problem = read_problem(500, body);
  fuzz::check(core::find_bad_utf8(problem.message) == std::string_view::npos);
  return 0;
}
