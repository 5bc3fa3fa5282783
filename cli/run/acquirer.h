#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include <locker/partition_locker.h>

#include "cli/run/notice.h"
#include "cli/voice.h"

namespace locker::cli {

// What is to be opened and locked.
struct LockRequest {
  std::string url;
  OpenOptions open;
  LockSet members;
  std::chrono::milliseconds timeout = default_timeout;
  Owner owner;
  std::string reason;
  bool tell_status = true;  // whether anybody wants to see who is ahead
};

// Opens the store and waits for the lock on a thread of its own, so that the caller can wait for
// signals and the grant at once, and an idle wait costs nothing.
class Acquirer {
 public:
  Acquirer(LockRequest request, const Voice& voice);
  ~Acquirer();

  // Readable when there is a new status or the end.
  const Notice& notice() const { return shared_->notice; }
  bool done() const;
  // The newest status that was not taken yet.
  std::optional<WaitStatus> take_status();
  // Ends the wait; `done` follows soon, unless the store does not answer.
  void cancel() { stop_.request_stop(); }

  // For the time after `done`, once.
  Result<LockHandle> take_handle();
  // The store, if it could be opened. It must outlive the handle's use.
  PartitionLocker* locker() { return shared_->locker ? &*shared_->locker : nullptr; }

 private:
  struct Shared {
    Notice notice;
    std::mutex mutex;
    std::optional<WaitStatus> status;
    std::optional<Result<LockHandle>> handle;
    std::optional<PartitionLocker> locker;
  };

  static void work(std::shared_ptr<Shared> shared, LockRequest request, Voice voice,
                   std::stop_token stop);

  std::shared_ptr<Shared> shared_;
  std::stop_source stop_;
  std::thread thread_;
};

// How long the lock itself may take after connecting took `connecting`: a time-out of a second or
// more includes connecting, a shorter one starts when the session is up.
std::chrono::milliseconds timeout_after_connecting(std::chrono::milliseconds timeout,
                                                   std::chrono::milliseconds connecting);
// How long connecting may take: never longer than a lock's time-out that includes it.
std::chrono::milliseconds connect_timeout_within(std::chrono::milliseconds connect_timeout,
                                                 std::chrono::milliseconds timeout);

}  // namespace locker::cli
