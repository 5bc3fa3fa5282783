#include "backends/zookeeper/client_log.h"

#include <pthread.h>

#include <array>
#include <charconv>
#include <memory>
#include <string_view>

#include "backends/zookeeper/mailbox.h"

namespace locker::backends::zookeeper {
namespace {

// Fifteen bytes are all that a thread's name has: these and five hexadecimal digits.
constexpr std::string_view name_prefix = "zookeeper-";

std::shared_ptr<Mailbox> mailbox_of_thread() {
  std::array<char, 16> buffer{};
  if (pthread_getname_np(pthread_self(), buffer.data(), buffer.size()) != 0) return nullptr;
  const std::string_view name(buffer.data());
  if (!name.starts_with(name_prefix)) return nullptr;
  std::uint32_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, failure] = std::from_chars(name.data() + name_prefix.size(), end, number, 16);
  return failure == std::errc() && rest == end ? Mailbox::find(number) : nullptr;
}

// Of "Socket … errno=111(Connection refused): …" what the system said; whatever else is whole.
std::string_view what_was_said(std::string_view message) {
  const std::size_t number = message.find("errno=");
  const std::size_t open = message.find('(', number);
  const std::size_t close = message.find(')', open);
  if (number == std::string_view::npos || close == std::string_view::npos) return message;
  return message.substr(open + 1, close - open - 1);
}

}  // namespace

void name_thread(std::uint32_t mailbox) {
  std::array<char, 16> buffer{};
  char* const digits = name_prefix.copy(buffer.data(), name_prefix.size()) + buffer.data();
  std::to_chars(digits, buffer.data() + buffer.size() - 1, mailbox, 16);
  pthread_setname_np(pthread_self(), buffer.data());
}

// "2026-01-31 12:00:00,123:77(0x7f…):ZOO_ERROR@function@1779: what happened"
void note_log_line(const char* line) {
  const std::string_view text(line);
  if (text.find(":ZOO_ERROR@") == std::string_view::npos) return;
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return;
  std::string_view message = text.substr(colon + 2);
  while (message.ends_with('\n')) message.remove_suffix(1);
  if (const std::shared_ptr<Mailbox> mailbox = mailbox_of_thread()) {
    mailbox->note(std::string(what_was_said(message)));
  }
}

}  // namespace locker::backends::zookeeper
