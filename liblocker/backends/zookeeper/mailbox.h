#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>

namespace locker::backends::zookeeper {

class ClientLink;

// The way from the client's threads to the runtime's. The client calls back with what it was given,
// at most once or any number of times, in time or when everything is gone: so that is never an
// address, but a number that is looked up here.
class Mailbox {
 public:
  using Letter = std::function<void(ClientLink&)>;

  // A new one; letters come on the executor, which has work to do until the mailbox is closed.
  static std::shared_ptr<Mailbox> open(const boost::asio::any_io_executor& executor);
  // The mailbox of that number; null where it is closed. Any thread.
  static std::shared_ptr<Mailbox> find(std::uint32_t number);

  // Number and call in one, as the client passes it on.
  void* context(std::uint64_t call) const;
  static std::uint64_t call_of(const void* context);
  static std::shared_ptr<Mailbox> of(const void* context);

  std::uint32_t number() const { return number_; }
  // Who reads the letters.
  void address(std::weak_ptr<ClientLink> reader);
  // Brings a letter, in the order of posting; none once it is closed. Any thread.
  void post(Letter letter);
  // Nothing is posted any more when this has returned. Idempotent.
  void close();

  // The last line of trouble that the client logged. Any thread.
  void note(std::string line);
  std::string noted() const;

 private:
  Mailbox(const boost::asio::any_io_executor& executor, std::uint32_t number);

  const std::uint32_t number_;
  mutable std::mutex mutex_;  // guards what follows
  std::optional<boost::asio::any_io_executor> executor_;
  std::weak_ptr<ClientLink> reader_;
  std::string noted_;
};

}  // namespace locker::backends::zookeeper
