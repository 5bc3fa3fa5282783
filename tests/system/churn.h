#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <locker/partition_locker.h>

namespace locker::system_test {

// A load of many clients that lock and let go, and write down what they believe.
struct ChurnPlan {
  std::string url;
  OpenOptions open;
  std::string folder;  // for the histories, and the numbers that holders count up
  int lockers = 1;     // each has a session of its own
  int threads = 1;     // for each locker
  int hold_ms = 0;     // at most, at random
  int rounds = 0;      // for each thread; 0: until it is stopped
  LockMode mode = LockMode::exclusive;
  std::vector<PartitionSpec> resources;  // one of them at random each time
};

// Each thread writes a history of its own, `<folder>/history-<pid>-<number>`, a line an event:
//
//   <boot time in ns> <event> <resource> <text>
//
// asked (the call begins) · waiting (it is in the queue; the text is its place) · granted (the text
// is the token) · working (it held the lock at some moment after that time) · lost · released (it
// is about to let go) · unlocked · failed (the text is the error's class and code). While it holds,
// it also adds one to the number in `<folder>/<resource>.count`, which only exclusion protects.
class Churn {
 public:
  // Opens the lockers and begins. Error: that of opening.
  static Result<std::unique_ptr<Churn>> begin(ChurnPlan plan);
  ~Churn();

  Churn(const Churn&) = delete;
  Churn& operator=(const Churn&) = delete;

  // Lets every thread finish what it does; all have ended then. How many locks were granted.
  int stop();
  // Waits for the rounds of the plan instead.
  int join();

 private:
  explicit Churn(ChurnPlan plan) : plan_(std::move(plan)) {}
  void run(PartitionLocker& locker, int number);

  ChurnPlan plan_;
  std::vector<PartitionLocker> lockers_;
  std::vector<std::thread> threads_;
  std::stop_source stop_;
  std::atomic<int> granted_{0};
};

}  // namespace locker::system_test
