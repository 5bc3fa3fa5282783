#include "backends/zookeeper/left_threads.h"

#include <utility>

namespace locker::backends::zookeeper {

LeftThreads& LeftThreads::instance() {
  static LeftThreads threads;
  return threads;
}

LeftThreads::~LeftThreads() {
  for (Left& each : threads_) each.thread.join();
}

void LeftThreads::leave(std::thread thread, std::shared_ptr<const std::atomic<bool>> ended) {
  const std::scoped_lock lock(mutex_);
  for (auto each = threads_.begin(); each != threads_.end();) {
    if (each->ended->load()) {
      each->thread.join();
      each = threads_.erase(each);
    } else {
      ++each;
    }
  }
  threads_.push_back(Left{std::move(thread), std::move(ended)});
}

}  // namespace locker::backends::zookeeper
