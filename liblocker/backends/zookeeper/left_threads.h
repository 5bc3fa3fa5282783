#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace locker::backends::zookeeper {

// Threads that end by themselves and that nobody waits for. They are joined when the next one is
// left, and at the end of the process, which waits for the last.
class LeftThreads {
 public:
  static LeftThreads& instance();
  LeftThreads(const LeftThreads&) = delete;
  LeftThreads& operator=(const LeftThreads&) = delete;
  ~LeftThreads();

  // `ended` becomes true as the last thing that the thread does. Any thread.
  void leave(std::thread thread, std::shared_ptr<const std::atomic<bool>> ended);

 private:
  struct Left {
    std::thread thread;
    std::shared_ptr<const std::atomic<bool>> ended;
  };

  LeftThreads() = default;

  std::mutex mutex_;  // guards what follows
  std::list<Left> threads_;
};

}  // namespace locker::backends::zookeeper
