#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

namespace locker::cli {

// When the lock's lease ends and when the command must be told of it, both in milliseconds of
// CLOCK_BOOTTIME, which goes on while the host sleeps.
struct LeaseEnd {
  std::chrono::milliseconds until{0};    // the command is killed
  std::chrono::milliseconds stop_at{0};  // it gets TERM
};

// The lease in memory that locker shares with its keeper. Locker writes it each time that the lease
// is renewed; the keeper reads it when its time has come. So the keeper knows the newest end
// whatever became of locker: one that is stopped renews nothing, and its command is ended in time.
class SharedLease {
 public:
  // For a process that has not forked its keeper yet.
  SharedLease();
  SharedLease(const SharedLease&) = delete;
  SharedLease& operator=(const SharedLease&) = delete;
  ~SharedLease();

  // Whether there was memory for it.
  bool there() const { return page_ != nullptr; }
  // Before the first end is written.
  void set_stopping_time(std::chrono::milliseconds before_the_end);
  // Any thread of locker's.
  void put_off(std::chrono::milliseconds until);
  // Nothing where there is no lease.
  std::optional<LeaseEnd> end() const;

 private:
  struct Page {
    std::atomic<std::int64_t> stopping_ms{0};
    std::atomic<std::int64_t> until_ms{none};
  };
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);

  Page* page_ = nullptr;
};

// The present time of CLOCK_BOOTTIME.
std::chrono::milliseconds boot_time();

}  // namespace locker::cli
