// The library in the scenarios of the benchmark, through its public headers alone.
//
// usage: bench_library SCENARIO URL   (amounts on the standard input, see contest.h)

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <locker/partition_locker.h>

#include "tests/bench/contest.h"

namespace {

using locker::Error;
using locker::LockHandle;
using locker::LockMember;
using locker::LockOptions;
using locker::LockSet;
using locker::PartitionLocker;
using locker::PartitionSpec;
using locker::Result;
using locker::bench::complain;
using locker::bench::Outcome;
using locker::bench::Scenario;
using locker::bench::Stopwatch;

constexpr int tasks = 16;
constexpr int set_size = 100;
constexpr int waiter_sessions = 25;

PartitionSpec table() {
  return {"bench", "library"};
}

PartitionSpec partition(int number) {
  return table().with("dt", std::to_string(number));
}

// A coroutine whose end nobody awaits.
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
};

// Counts what the tasks of one run do, and keeps the first failure.
struct Tally {
  explicit Tally(int running) : ended(running) {}

  void fail(const Error& error) {
    if (!failed.exchange(true)) complain(error.message);
  }

  std::atomic<bool> stop{false};
  std::atomic<bool> failed{false};
  std::atomic<std::int64_t> cycles{0};
  std::latch ended;
};

std::optional<Error> lock_and_unlock(PartitionLocker& locker, const LockSet& members) {
  auto lock = locker.lock(members);
  if (!lock) return lock.error();
  const auto unlocked = lock->unlock();
  if (!unlocked) return unlocked.error();
  return std::nullopt;
}

// One caller that locks and unlocks these members again and again.
Scenario one_caller(PartitionLocker& locker, LockSet members) {
  return [&locker, members = std::move(members)](double seconds) -> std::optional<Outcome> {
    const Stopwatch watch;
    Outcome outcome;
    while (watch.seconds() < seconds) {
      if (const auto error = lock_and_unlock(locker, members)) return complain(error->message);
      ++outcome.operations;
    }
    outcome.seconds = watch.seconds();
    return outcome;
  };
}

Task cycle(PartitionLocker* locker, PartitionSpec resource, Tally* tally) {
  while (!tally->stop && !tally->failed) {
    auto lock = co_await locker->async_lock(resource);
    if (!lock) {
      tally->fail(lock.error());
      break;
    }
    const auto unlocked = co_await lock->async_unlock();
    if (!unlocked) tally->fail(unlocked.error());
    ++tally->cycles;
  }
  tally->ended.count_down();
}

// Tasks that each lock and unlock a partition; task i through locker i, or all through one.
std::optional<Outcome> run_tasks(const std::vector<PartitionLocker*>& lockers, bool one_partition,
                                 double seconds) {
  Tally tally(tasks);
  const Stopwatch watch;
  for (int i = 0; i < tasks; ++i) {
    PartitionLocker* const locker = lockers[static_cast<std::size_t>(i) % lockers.size()];
    cycle(locker, partition(one_partition ? 0 : i), &tally);
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  tally.stop = true;
  tally.ended.wait();
  if (tally.failed) return std::nullopt;
  return Outcome{tally.cycles, watch.seconds()};
}

std::vector<PartitionLocker*> pointers(std::vector<PartitionLocker>& lockers) {
  std::vector<PartitionLocker*> all;
  for (PartitionLocker& each : lockers) all.push_back(&each);
  return all;
}

Scenario in_parallel(std::vector<PartitionLocker>& lockers, bool one_partition) {
  return [&lockers, one_partition](double seconds) {
    return run_tasks(pointers(lockers), one_partition, seconds);
  };
}

Task wait_and_pass_on(PartitionLocker* locker, Tally* tally) {
  const PartitionSpec resource = partition(0);
  auto lock = co_await locker->async_lock(resource);
  if (!lock) {
    tally->fail(lock.error());
  } else {
    const auto unlocked = co_await lock->async_unlock();
    if (!unlocked) tally->fail(unlocked.error());
    ++tally->cycles;
  }
  tally->ended.count_down();
}

// Whether all of them stand in the queue; polled, so that the waiters do nothing for it.
Result<bool> all_stand(PartitionLocker& locker, std::size_t number) {
  const auto queue = locker.list(partition(0));
  if (!queue) return queue.error();
  return queue->size() >= number;
}

// A holder and a queue of waiters behind it; each lets go as soon as it is granted.
std::optional<Outcome> run_queue(std::vector<PartitionLocker>& lockers, int waiters) {
  auto held = lockers[0].lock(partition(0));
  if (!held) return complain(held.error().message);
  Tally tally(waiters);
  for (int i = 0; i < waiters; ++i) {
    wait_and_pass_on(&lockers[static_cast<std::size_t>(i) % lockers.size()], &tally);
  }
  for (bool stand = false; !stand && !tally.failed;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto looked = all_stand(lockers[0], static_cast<std::size_t>(waiters) + 1);
    if (!looked) return complain(looked.error().message);
    stand = *looked;
  }
  const Stopwatch watch;
  const auto unlocked = held->unlock();
  if (!unlocked) tally.fail(unlocked.error());
  tally.ended.wait();
  if (tally.failed) return std::nullopt;
  return Outcome{tally.cycles + 1, watch.seconds()};
}

Task take(PartitionLocker* locker, int number, std::vector<LockHandle>* kept, Tally* tally) {
  for (int i = number; i < static_cast<int>(kept->size()); i += tasks) {
    const PartitionSpec resource = partition(i);
    auto lock = co_await locker->async_lock(resource);
    if (!lock) {
      tally->fail(lock.error());
      break;
    }
    (*kept)[static_cast<std::size_t>(i)] = std::move(*lock);
  }
  tally->ended.count_down();
}

// Takes that many locks and keeps them for as long as the program runs.
std::optional<Outcome> run_held(PartitionLocker& locker, std::vector<LockHandle>& kept, int count) {
  kept.resize(static_cast<std::size_t>(count));
  Tally tally(tasks);
  const Stopwatch watch;
  for (int i = 0; i < tasks; ++i) take(&locker, i, &kept, &tally);
  tally.ended.wait();
  if (tally.failed) return std::nullopt;
  return Outcome{count, watch.seconds()};
}

LockSet numbered_set(int size) {
  LockSet members;
  for (int i = 0; i < size; ++i) members.push_back({partition(i)});
  return members;
}

int run(const std::string& scenario, const std::string& url) {
  const std::map<std::string, int> sessions{{"serial", 1}, {"parallel", 1},
                                            {"set", 1},    {"contended", tasks},
                                            {"held", 1},   {"waiters", waiter_sessions}};
  const auto found = sessions.find(scenario);
  if (found == sessions.end()) return complain("no such scenario: " + scenario), 64;
  std::vector<PartitionLocker> lockers;
  std::vector<LockHandle> kept;
  for (int i = 0; i < found->second; ++i) {
    auto locker = PartitionLocker::open(url);
    if (!locker) return complain(locker.error().message), 1;
    lockers.push_back(std::move(*locker));
  }
  const auto registered = lockers[0].register_table(table(), {"dt"});
  if (!registered) return complain(registered.error().message), 1;

  const std::map<std::string, Scenario> scenarios{
      {"serial", one_caller(lockers[0], numbered_set(1))},
      {"set", one_caller(lockers[0], numbered_set(set_size))},
      {"parallel", in_parallel(lockers, false)},
      {"contended", in_parallel(lockers, true)},
      {"waiters", [&](double count) { return run_queue(lockers, static_cast<int>(count)); }},
      {"held", [&](double count) { return run_held(lockers[0], kept, static_cast<int>(count)); }},
  };
  return locker::bench::serve(scenarios.at(scenario));
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fputs("usage: bench_library SCENARIO URL\n", stderr), 64;
  return run(words[1], words[2]);
}
