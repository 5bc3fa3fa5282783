// What the C client alone can do in the scenarios of the benchmark: the library's floor. The
// scenarios that begin with `bare` do no more than create a node, list its directory, delete it.
//
// usage: bench_floor SCENARIO HOST:PORT   (amounts on the standard input, see contest.h)

#include <atomic>
#include <chrono>
#include <cstdio>
#include <latch>
#include <map>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/contest.h"
#include "tests/bench/floor_lock.h"
#include "tests/bench/floor_session.h"

namespace {

using locker::bench::complain;
using locker::bench::FloorLock;
using locker::bench::FloorSession;
using locker::bench::FloorSet;
using locker::bench::FloorTree;
using locker::bench::need;
using locker::bench::Outcome;
using locker::bench::Scenario;
using locker::bench::Stopwatch;

constexpr int tasks = 16;
constexpr int set_size = 100;

using Sessions = std::vector<std::unique_ptr<FloorSession>>;

// One caller that waits for each answer, as a blocking call does.
template <typename Lock>
Outcome one_caller(Lock& lock, double seconds) {
  std::binary_semaphore answered(0);
  const auto wake = [&answered] { answered.release(); };
  const Stopwatch watch;
  Outcome outcome;
  while (watch.seconds() < seconds) {
    lock.lock(wake);
    answered.acquire();
    lock.unlock(wake);
    answered.acquire();
    ++outcome.operations;
  }
  outcome.seconds = watch.seconds();
  return outcome;
}

// One caller that creates, lists and deletes, each after the other's answer.
class BareLock {
 public:
  BareLock(FloorSession& session, const FloorTree& tree) : session_(session), tree_(tree) {}

  Outcome run(double seconds) {
    const Stopwatch watch;
    Outcome outcome;
    while (watch.seconds() < seconds) {
      cycle();
      ++outcome.operations;
    }
    outcome.seconds = watch.seconds();
    return outcome;
  }

 private:
  void cycle() {
    zhandle_t* const handle = session_.handle();
    const std::string& data = tree_.data();
    need(zoo_acreate(handle, tree_.node(0).c_str(), data.data(), static_cast<int>(data.size()),
                     &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL_SEQUENTIAL, on_created, this),
         "create");
    answered_.acquire();
    need(zoo_aget_children(handle, tree_.directory(0).c_str(), 0, on_listed, this), "list");
    answered_.acquire();
    need(zoo_adelete(handle, node_.c_str(), -1, on_deleted, this), "delete");
    answered_.acquire();
  }

  static BareLock& self_of(const void* self) {
    return *static_cast<BareLock*>(const_cast<void*>(self));
  }
  static void on_created(int code, const char* path, const void* self) {
    need(code, "create");
    self_of(self).node_ = path;
    self_of(self).answered_.release();
  }
  static void on_listed(int code, const String_vector* /*names*/, const void* self) {
    need(code, "list");
    self_of(self).answered_.release();
  }
  static void on_deleted(int code, const void* self) {
    need(code, "delete");
    self_of(self).answered_.release();
  }

  FloorSession& session_;
  const FloorTree& tree_;
  std::string node_;
  std::binary_semaphore answered_{0};
};

// Counts what the tasks of one run do.
struct Tally {
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> cycles{0};
  std::latch ended{tasks};
};

// A task goes on from answer to answer, on the client's own thread.
void cycle(FloorLock& lock, Tally& tally) {
  lock.lock([&lock, &tally] {
    lock.unlock([&lock, &tally] {
      ++tally.cycles;
      if (tally.stop) return tally.ended.count_down();
      cycle(lock, tally);
    });
  });
}

Outcome run_tasks(const Sessions& sessions, const FloorTree& tree, bool one_partition,
                  double seconds) {
  std::vector<std::unique_ptr<FloorLock>> locks;
  Tally tally;
  const Stopwatch watch;
  for (int i = 0; i < tasks; ++i) {
    FloorSession& session = *sessions[static_cast<std::size_t>(i) % sessions.size()];
    locks.push_back(std::make_unique<FloorLock>(session, tree, one_partition ? 0 : i));
    cycle(*locks.back(), tally);
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  tally.stop = true;
  tally.ended.wait();
  return Outcome{tally.cycles, watch.seconds()};
}

int run(const std::string& scenario, const std::string& address) {
  struct Shape {
    int sessions;
    int partitions;
  };
  const std::map<std::string, Shape> shapes{{"serial", {1, 1}},
                                            {"bare-serial", {1, 1}},
                                            {"parallel", {1, tasks}},
                                            {"contended", {tasks, 1}},
                                            {"set", {1, set_size}}};
  const auto shape = shapes.find(scenario);
  if (shape == shapes.end()) return complain("no such scenario: " + scenario), 64;
  Sessions sessions;
  for (int i = 0; i < shape->second.sessions; ++i) {
    sessions.push_back(std::make_unique<FloorSession>(address));
  }
  const FloorTree tree(*sessions[0], shape->second.partitions);
  FloorLock lock(*sessions[0], tree, 0);
  FloorSet set(*sessions[0], tree, shape->second.partitions);
  BareLock bare(*sessions[0], tree);
  const std::map<std::string, Scenario> scenarios{
      {"serial", [&](double seconds) { return one_caller(lock, seconds); }},
      {"bare-serial", [&](double seconds) { return bare.run(seconds); }},
      {"set", [&](double seconds) { return one_caller(set, seconds); }},
      {"parallel", [&](double seconds) { return run_tasks(sessions, tree, false, seconds); }},
      {"contended", [&](double seconds) { return run_tasks(sessions, tree, true, seconds); }},
  };
  return locker::bench::serve(scenarios.at(scenario));
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fputs("usage: bench_floor SCENARIO HOST:PORT\n", stderr), 64;
  return run(words[1], words[2]);
}
