#include "cli/run/wait_display.h"

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

#include <locker/text.h>

#include "cli/render.h"

namespace locker::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds between_lines{10};
constexpr seconds between_refreshes{1};

std::size_t terminal_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void write_text(const std::string& text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

// Cuts at a character's border.
std::string cut(std::string text, std::size_t columns) {
  std::size_t count = 0;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const bool starts = (static_cast<unsigned char>(text[index]) & 0xC0U) != 0x80U;
    if (starts && ++count > columns) return text.substr(0, index);
  }
  return text;
}

}  // namespace

WaitDisplay::WaitDisplay(std::string resource, bool quiet)
    : resource_(std::move(resource)),
      quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      begun_(steady_clock::now()),
      due_(begun_) {}

void WaitDisplay::update(const WaitStatus& status) {
  status_ = status;
  if (terminal_) due_ = steady_clock::now();
  tick();
}

int WaitDisplay::next_in_ms() const {
  if (quiet_ || !status_) return -1;
  const auto left = std::chrono::ceil<milliseconds>(due_ - steady_clock::now());
  return static_cast<int>(std::max<milliseconds::rep>(left.count(), 0));
}

void WaitDisplay::tick() {
  if (quiet_ || !status_ || steady_clock::now() < due_) return;
  show();
  due_ = steady_clock::now() + (terminal_ ? between_refreshes : between_lines);
}

WaitDisplay::~WaitDisplay() {
  if (shown_ && terminal_) write_text("\r\033[K");
}

void WaitDisplay::show() {
  shown_ = true;
  if (terminal_) {
    write_text("\r\033[K" + cut(line(), terminal_columns() - 1));
  } else {
    write_text(line() + "\n");
  }
}

std::string WaitDisplay::line() const {
  std::string text =
      "locker: waiting for " + resource_ + ": place " + std::to_string(status_->place);
  if (!status_->holders.empty()) {
    const Contender& holder = status_->holders.front();
    text += ", held by " + owner_text(holder.owner) + ", since " + local_text(holder.since);
    const std::size_t others = status_->holders.size() - 1;
    if (others > 0) text += " and " + std::to_string(others) + " more";
  }
  const auto waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun_);
  return visible(text + ", waited " + waited_text(waited));
}

std::string waited_text(milliseconds waited) {
  const auto whole = std::chrono::duration_cast<seconds>(waited).count();
  if (whole < 60) return std::to_string(whole) + " s";
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

}  // namespace locker::cli
