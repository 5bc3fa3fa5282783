#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <locker/partition_locker.h>
#include <locker/pending.h>

#include "runtime/engine.h"
#include "runtime/spawn.h"

namespace locker::runtime {

// The one thread of a locker, and the engine that runs on it. Handles keep it: the last of the
// locker and its handles ends it.
class LockerThread : public std::enable_shared_from_this<LockerThread> {
 public:
  LockerThread();
  LockerThread(const LockerThread&) = delete;
  LockerThread& operator=(const LockerThread&) = delete;
  ~LockerThread();

  // Makes the backend and opens its first session.
  Result<void> open(std::string_view url, const OpenOptions& options);
  // Ends the session; after this every verb answers `cancelled` and every handle is lost.
  void close();

  const EnginePtr& engine() const { return engine_; }
  bool on_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

  // Runs a coroutine on the locker's thread; its result completes the pending one.
  template <typename T>
  Pending<T> run(boost::asio::awaitable<Result<T>> work) {
    Pending<T> pending;
    spawn(context_->get_executor(), complete(std::move(work), pending));
    return pending;
  }

  // The same for a caller that blocks. Error: invalid, on the locker's own thread, where blocking
  // would wait for itself.
  template <typename T>
  Result<T> run_and_wait(boost::asio::awaitable<Result<T>> work) {
    if (on_own_thread()) {
      return make_error(Errc::invalid,
                        "a blocking call on the locker's own thread would wait for itself: use the "
                        "awaitable form in callbacks");
    }
    return run(std::move(work)).get();
  }

  template <typename F>
  void post(F function) {
    boost::asio::post(*context_, std::move(function));
  }

 private:
  Result<void> start_reactor();
  template <typename T>
  static boost::asio::awaitable<void> complete(boost::asio::awaitable<Result<T>> work,
                                               Pending<T> pending) {
    Result<T> result = co_await std::move(work);
    pending.complete(std::move(result));
  }

  // Shared with the thread, which may outlive this object.
  std::shared_ptr<boost::asio::io_context> context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  EnginePtr engine_;
  std::thread thread_;
  bool closed_ = false;
};
using LockerThreadPtr = std::shared_ptr<LockerThread>;

}  // namespace locker::runtime
