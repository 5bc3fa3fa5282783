#include "cli/voice.h"

#include <unistd.h>

#include <locker/listing.h>
#include <locker/text.h>

#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/render.h"

namespace locker::cli {
namespace {

// In one write, so that lines of several lockers on one terminal or log stay whole.
void write_line(std::string text) {
  text.push_back('\n');
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, left.data(), left.size());
    if (written <= 0) return;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

// The library's sentence names the holder that asked first; who stands beside it follows here.
std::string holders_text(const ErrorDetail& detail) {
  std::string text;
  const std::vector<Contender>& holders = detail.holders;
  if (!holders.empty() && !holders.front().owner.reason.empty()) {
    text += "\n  reason: " + visible(holders.front().owner.reason);
  }
  for (std::size_t index = 1; index < holders.size(); ++index) {
    text += "\n  " + contender_text(holders[index]);
  }
  return text;
}

}  // namespace

void Voice::say(std::string_view line) const {
  write_line("locker: " + visible(line));
}

void Voice::warn(std::string_view line) const {
  if (level_ >= Level::warning) say(line);
}

void Voice::info(std::string_view line) const {
  if (level_ >= Level::info) say(line);
}

int Voice::fail(const Error& error) const {
  return fail(error, exit_not_obtained);
}

int Voice::fail(const Error& error, int not_obtained) const {
  const int code = exit_code_of_error(error, not_obtained);
  write_line(json_ ? error_json(error, code) : error_text(error));
  return code;
}

std::string error_text(const Error& error) {
  std::string text = "locker: ";
  const std::string message = with_local_times(error.message);
  std::string_view left = message;
  // The library's sentence may have lines of its own, as a caret under what is wrong.
  for (std::size_t end = left.find('\n'); end != std::string_view::npos; end = left.find('\n')) {
    text += visible(left.substr(0, end)) + "\n";
    left.remove_prefix(end + 1);
  }
  text += visible(left);
  const bool timed_out = error.errc == Errc::timeout && error.detail != nullptr;
  return timed_out ? text + holders_text(*error.detail) : text;
}

}  // namespace locker::cli
