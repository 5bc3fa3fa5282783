#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include "backends/local/store.h"
#include "runtime/lock_backend.h"

namespace locker::backends::local {

// Work on the store, run on its thread.
template <typename T>
using StoreWork = std::function<Result<T>(Store&)>;

// How a piece of work goes about the store.
struct AskOptions {
  // How long it may wait for other processes, counted from the asking.
  std::chrono::milliseconds patience{0};
  // Whether it makes a new store where the old one was removed; what belongs to a session of the
  // old one does not.
  bool reopens = false;
};

// The one thread that runs SQLite, which blocks. It sleeps on a condition variable while there is
// nothing to do. The store is opened by the first work that needs it.
class StoreThread {
 public:
  using Work = std::function<void(Result<Store*>)>;

  StoreThread(boost::asio::any_io_executor executor, StoreLocation location, std::string boot);
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;
  ~StoreThread();

  const boost::asio::any_io_executor& executor() const { return executor_; }
  // Runs `work` on the thread, in the order of posting; in the call itself once the thread has
  // ended. Any thread may call it.
  void post(AskOptions options, Work work);
  // Finishes what was posted, then ends the thread, which touches the executor no more: the
  // executor's context may go. Not for the thread itself, nor for two threads at once.
  void halt();

 private:
  struct Job {
    Work work;
    StoreTime deadline;
    bool reopens = false;
  };

  void run();
  Result<Store*> store_for(const Job& job);

  boost::asio::any_io_executor executor_;
  const StoreLocation location_;
  const std::string boot_;
  std::unique_ptr<Store> store_;  // the thread's own, until it has ended

  std::mutex mutex_;  // guards what follows
  std::condition_variable posted_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  bool ended_ = false;  // the thread takes no more work, and the store is whoever's who posts

  std::thread thread_;
};
using StoreThreadPtr = std::shared_ptr<StoreThread>;

// What a coroutine waits for while the store thread works.
template <typename T>
struct StoreAnswer {
  explicit StoreAnswer(const boost::asio::any_io_executor& executor) : done(executor) {}

  runtime::Event done;
  std::optional<Result<T>> result;
};

template <typename T>
std::shared_ptr<StoreAnswer<T>> start_asking(StoreThread& thread, AskOptions options,
                                             StoreWork<T> work) {
  auto answer = std::make_shared<StoreAnswer<T>>(thread.executor());
  // The executor has work to do until the answer is there.
  auto executor =
      boost::asio::prefer(thread.executor(), boost::asio::execution::outstanding_work.tracked);
  thread.post(options, [answer, executor, work = std::move(work)](Result<Store*> store) {
    Result<T> result = store ? work(**store) : Result<T>(std::move(store).error());
    boost::asio::post(executor, [answer, result = std::move(result)]() mutable {
      answer->result.emplace(std::move(result));
      answer->done.set();
    });
  });
  return answer;
}

// Runs `work` on the store thread and answers with its result.
template <typename T>
runtime::awaitable<Result<T>> ask(StoreThreadPtr thread, AskOptions options, StoreWork<T> work) {
  const std::shared_ptr<StoreAnswer<T>> answer = start_asking<T>(*thread, options, work);
  co_await answer->done.wait();
  co_return *std::move(answer->result);
}

}  // namespace locker::backends::local
