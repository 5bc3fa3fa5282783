#pragma once

#include <memory>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace locker::runtime {

// Something that has happened or not: set from anywhere on the runtime's thread, awaited by one
// coroutine at a time. Setting a set event changes nothing; `wait` consumes it.
class Event {
 public:
  explicit Event(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  void set();
  bool is_set() const { return set_; }
  // Returns once the event is set, and clears it.
  boost::asio::awaitable<void> wait();

 private:
  boost::asio::any_io_executor executor_;
  bool set_ = false;
  boost::asio::any_completion_handler<void()> waiter_;
};

using EventPtr = std::shared_ptr<Event>;

}  // namespace locker::runtime
