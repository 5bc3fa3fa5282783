#pragma once

#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace locker::runtime {

class WaiterService;

// Something that has happened or not: set from anywhere on the runtime's thread, awaited by one
// coroutine at a time. Setting a set event changes nothing; `wait` consumes it.
// A coroutine that still waits when the execution context ends is destroyed with it.
class Event {
 public:
  explicit Event(boost::asio::any_io_executor executor);
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  void set();
  bool is_set() const { return set_; }
  // Returns once the event is set, and clears it.
  boost::asio::awaitable<void> wait();

 private:
  friend class WaiterService;
  // A suspended coroutine; destroying it destroys the coroutine.
  struct Waiter {
    virtual ~Waiter() = default;
    virtual void resume(const boost::asio::any_io_executor& executor) = 0;
  };
  using WaiterPtr = std::unique_ptr<Waiter>;

  void keep(WaiterPtr waiter);
  WaiterPtr take();

  boost::asio::any_io_executor executor_;
  WaiterService& waiters_;
  bool set_ = false;
  WaiterPtr waiter_;
  // The list of events with a waiter, kept by the service.
  Event* previous_ = nullptr;
  Event* next_ = nullptr;
};

using EventPtr = std::shared_ptr<Event>;

}  // namespace locker::runtime
