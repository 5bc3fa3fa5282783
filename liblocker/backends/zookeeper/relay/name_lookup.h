#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>

#include <locker/result.h>

namespace locker::backends::zookeeper::relay {

using Addresses = std::vector<boost::asio::ip::address>;
using LookUp = std::function<Result<Addresses>(const std::string& name)>;

// Asks the system for a name's addresses, which may block for as long as its servers are silent.
// Error: unavailable.
Result<Addresses> ask_system(const std::string& name);

// Looks names up, each on a thread of its own, so that nobody waits for a silent name server: not
// whoever relays bytes, and not whoever ends.
class NameLookup {
 public:
  using Answer = std::function<void(Result<Addresses>)>;

  NameLookup(boost::asio::any_io_executor executor, LookUp look_up);
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;
  ~NameLookup() { stop(); }

  // Forgets what is still being looked up: afterwards nothing is brought to the executor any more.
  // To be called before its context ends.
  void stop();

  // Answers on the executor. Never blocks.
  void start(std::string name, Answer answer);

 private:
  // Where the threads bring their answers; nobody fetches them once the executor is gone.
  struct Mailbox {
    std::mutex mutex;
    std::optional<boost::asio::any_io_executor> executor;
  };

  LookUp look_up_;
  std::shared_ptr<Mailbox> mailbox_;
};

}  // namespace locker::backends::zookeeper::relay
