#include "backends/zookeeper/mailbox.h"

#include <bit>
#include <map>
#include <utility>

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

namespace locker::backends::zookeeper {
namespace {

// A context is 20 bits of the mailbox's number and 44 of the call's: more calls than the client
// itself can number.
constexpr unsigned call_bits = 44;
constexpr std::uint64_t call_mask = (std::uint64_t{1} << call_bits) - 1;
constexpr std::uint32_t number_mask = (std::uint32_t{1} << (64 - call_bits)) - 1;
static_assert(sizeof(void*) == sizeof(std::uint64_t));

struct Registry {
  std::mutex mutex;
  std::map<std::uint32_t, std::shared_ptr<Mailbox>> mailboxes;
  std::uint32_t last = 0;
};

// Never destroyed: the client's threads may call while the process ends.
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

}  // namespace

std::shared_ptr<Mailbox> Mailbox::open(const boost::asio::any_io_executor& executor) {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  do {
    all.last = (all.last + 1) & number_mask;
  } while (all.last == 0 || all.mailboxes.contains(all.last));
  std::shared_ptr<Mailbox> mailbox(new Mailbox(executor, all.last));
  all.mailboxes.emplace(all.last, mailbox);
  return mailbox;
}

std::shared_ptr<Mailbox> Mailbox::find(std::uint32_t number) {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.mailboxes.find(number);
  return found == all.mailboxes.end() ? nullptr : found->second;
}

Mailbox::Mailbox(const boost::asio::any_io_executor& executor, std::uint32_t number)
    : number_(number),
      executor_(boost::asio::prefer(executor, boost::asio::execution::outstanding_work.tracked)) {}

void* Mailbox::context(std::uint64_t call) const {
  return std::bit_cast<void*>(std::uint64_t{number_} << call_bits | (call & call_mask));
}

std::uint64_t Mailbox::call_of(const void* context) {
  return std::bit_cast<std::uint64_t>(context) & call_mask;
}

std::shared_ptr<Mailbox> Mailbox::of(const void* context) {
  return find(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(context) >> call_bits));
}

void Mailbox::address(std::weak_ptr<ClientLink> reader) {
  const std::scoped_lock lock(mutex_);
  reader_ = std::move(reader);
}

// Under the lock, so that whoever closed it may destroy the executor's context.
void Mailbox::post(Letter letter) {
  const std::scoped_lock lock(mutex_);
  if (!executor_) return;
  auto deliver = [reader = reader_, read = std::move(letter)] {
    if (const std::shared_ptr<ClientLink> link = reader.lock()) read(*link);
  };
  boost::asio::post(*executor_, std::move(deliver));
}

void Mailbox::close() {
  std::optional<boost::asio::any_io_executor> dropped;
  {
    const std::scoped_lock lock(mutex_);
    dropped.swap(executor_);
  }
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.mailboxes.find(number_);
  if (found != all.mailboxes.end() && found->second.get() == this) all.mailboxes.erase(found);
}

void Mailbox::note(std::string line) {
  const std::scoped_lock lock(mutex_);
  noted_ = std::move(line);
}

std::string Mailbox::noted() const {
  const std::scoped_lock lock(mutex_);
  return noted_;
}

}  // namespace locker::backends::zookeeper
