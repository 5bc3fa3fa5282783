// Waits for three partitions at once, without a thread for each; async [URL]
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <string>

#include <locker/partition_locker.h>

// The smallest kind of coroutine: nobody awaits its end.
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
};

Task build(locker::PartitionLocker* locker, std::string date, std::latch* built) {
  const auto day = locker::PartitionSpec("ods", "user_info").with("dt", date);
  auto lock = co_await locker->async_lock(day);  // of an owner of its own
  // From here on this is the locker's thread: hand long work to your own.
  if (lock) {
    std::printf("%s is ours\n", day.to_string().c_str());
    const auto let_go = co_await lock->async_unlock();
  }
  built->count_down();
}

int main(int count, char** words) {
  auto locker = locker::PartitionLocker::open(count > 1 ? words[1] : "local:");
  if (!locker) return std::puts(locker.error().message.c_str()), 69;
  std::latch built(3);
  for (const char* date : {"20230501", "20230502", "20230503"}) build(&*locker, date, &built);
  built.wait();
}
