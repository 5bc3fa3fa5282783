#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include <locker/result.h>

#include "runtime/event.h"

namespace locker::backends::zookeeper {

// An answer that is on its way. Its request was sent by the call that made the flight: flights that
// are started one after the other are sent in that order and answered in that order, so several of
// them cost one round trip. A flight whose answer nobody takes is no error.
template <typename T>
class Flight {
 public:
  explicit Flight(const boost::asio::any_io_executor& executor)
      : landing_(std::make_shared<Landing>(executor)) {}

  // The answer; to be taken once.
  boost::asio::awaitable<Result<T>> answer() {
    const std::shared_ptr<Landing> landing = landing_;
    return take(landing);
  }

  // Brings the answer; on the runtime's thread, once.
  void land(Result<T> result) const {
    landing_->result.emplace(std::move(result));
    landing_->landed.set();
  }

 private:
  struct Landing {
    explicit Landing(const boost::asio::any_io_executor& executor) : landed(executor) {}

    runtime::Event landed;
    std::optional<Result<T>> result;
  };

  static boost::asio::awaitable<Result<T>> take(std::shared_ptr<Landing> landing) {
    co_await landing->landed.wait();
    co_return *std::move(landing->result);
  }

  std::shared_ptr<Landing> landing_;
};

}  // namespace locker::backends::zookeeper
