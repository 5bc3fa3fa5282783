#pragma once

#include <condition_variable>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <locker/result.h>

namespace locker {

// A result that is not there yet. Await it in a coroutine of any kind (`co_await pending`), or wait
// for it with `get`. It is completed once, on the locker's own thread, and an awaiting coroutine is
// resumed there: hop to your own executor before you do anything long. Copies share one result,
// which goes to the first that takes it.
template <typename T>
class [[nodiscard]] Pending {
 public:
  Pending() : shared_(std::make_shared<Shared>()) {}

  // Whether the result is there.
  bool ready() const {
    const std::scoped_lock lock(shared_->mutex);
    return shared_->result.has_value();
  }

  // Blocks until the result is there and takes it. Never call it on the locker's own thread.
  Result<T> get() {
    std::unique_lock lock(shared_->mutex);
    shared_->filled.wait(lock, [this] { return shared_->result.has_value(); });
    return std::move(*shared_->result);
  }

  // For the producer: sets the result, once, and resumes whoever waits.
  void complete(Result<T> result) const {
    std::function<void()> resume;
    {
      const std::scoped_lock lock(shared_->mutex);
      if (shared_->result.has_value()) return;
      shared_->result.emplace(std::move(result));
      resume = std::exchange(shared_->resume, nullptr);
      shared_->filled.notify_all();
    }
    if (resume) resume();
  }

  // The coroutine protocol.
  bool await_ready() const { return ready(); }
  bool await_suspend(std::coroutine_handle<> caller) {
    const std::scoped_lock lock(shared_->mutex);
    if (shared_->result.has_value()) return false;
    shared_->resume = [caller] { caller.resume(); };
    return true;
  }
  Result<T> await_resume() { return get(); }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable filled;
    std::optional<Result<T>> result;
    std::function<void()> resume;
  };

  std::shared_ptr<Shared> shared_;
};

}  // namespace locker
