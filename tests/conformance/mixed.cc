#include <algorithm>
#include <mutex>
#include <random>
#include <thread>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

bool conflict(const GrantedMember& left, const GrantedMember& right) {
  const bool exclusive = left.mode == LockMode::exclusive || right.mode == LockMode::exclusive;
  return exclusive &&
         (left.resource.covers(right.resource) || right.resource.covers(left.resource));
}

// Who believes to hold what, kept beside the locks: finds every overlap and every stale token.
class Witness {
 public:
  explicit Witness(Bench& bench) : bench_(bench) {}

  void granted(int holder, const std::vector<GrantedMember>& members) {
    const std::scoped_lock lock(mutex_);
    for (const GrantedMember& member : members) {
      for (const auto& [other, held] : now_) {
        if (other == holder || !conflict(member, held)) continue;
        bench_.expect(false, member.resource.to_string() + " and " + held.resource.to_string() +
                                 " were held at once");
      }
      for (const GrantedMember& earlier : before_) {
        if (!conflict(member, earlier) || member.token > earlier.token) continue;
        bench_.expect(false, "the token of " + member.resource.to_string() + " went back");
      }
    }
    for (const GrantedMember& member : members) now_.emplace_back(holder, member);
    ++grants_;
  }

  void released(int holder) {
    const std::scoped_lock lock(mutex_);
    for (const auto& [other, held] : now_) {
      if (other == holder) remember(held);
    }
    std::erase_if(now_, [&](const auto& entry) { return entry.first == holder; });
  }

  int grants() const { return grants_; }

 private:
  // Only the greatest token of a resource and mode matters.
  void remember(const GrantedMember& member) {
    for (GrantedMember& earlier : before_) {
      if (earlier.resource == member.resource && earlier.mode == member.mode) {
        earlier.token = std::max(earlier.token, member.token);
        return;
      }
    }
    before_.push_back(member);
  }

  Bench& bench_;
  std::mutex mutex_;
  std::vector<std::pair<int, GrantedMember>> now_;
  std::vector<GrantedMember> before_;
  int grants_ = 0;
};

std::vector<PartitionSpec> small_forest(Bench& bench) {
  std::vector<PartitionSpec> forest;
  for (int t = 0; t < 2; ++t) {
    const PartitionSpec table = bench.table();
    forest.push_back(table);
    for (const char* day : {"1", "2"}) {
      const PartitionSpec partition = PartitionSpec(table).with("dt", day);
      forest.push_back(partition);
      forest.push_back(PartitionSpec(partition).with("hr", "7"));
      forest.push_back(PartitionSpec(partition).with("hr", "8"));
    }
  }
  return forest;
}

using Random = std::mt19937;

LockSet random_set(Random& random, const std::vector<PartitionSpec>& forest) {
  LockSet set;
  const std::size_t size = 1 + random() % 3;
  for (std::size_t i = 0; i < size; ++i) {
    const LockMode mode = random() % 2 == 0 ? LockMode::exclusive : LockMode::shared;
    set.push_back({forest[random() % forest.size()], mode});
  }
  return set;
}

void lock_at_random(Bench& bench, PartitionLocker& locker, Witness& witness,
                    const std::vector<PartitionSpec>& forest, int me) {
  Random random(static_cast<Random::result_type>(me + 1));
  for (int round = 0; round < 150; ++round) {
    LockOptions options;
    // Some give up early, so that leaving is mixed with waiting.
    options.timeout = random() % 4 == 0 ? std::chrono::milliseconds(random() % 5) : bench.bound(6);
    Result<LockHandle> handle = locker.lock(random_set(random, forest), options);
    if (!handle) {
      const bool hasty = options.timeout < std::chrono::milliseconds(5);
      if (!hasty || handle.error().errc != Errc::timeout) {
        bench.expect(false, "a lock ended with: " + handle.error().message);
        return;
      }
      continue;
    }
    witness.granted(me, handle->members());
    std::this_thread::yield();
    witness.released(me);
    bench.ok(handle->unlock(), "a lock is let go");
  }
}

void random_sets(Bench& bench) {
  const std::vector<PartitionSpec> forest = small_forest(bench);
  PartitionLocker one = bench.locker();
  PartitionLocker two = bench.locker();
  Witness witness(bench);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      PartitionLocker& locker = i % 2 == 0 ? one : two;
      threads.emplace_back([&, i] { lock_at_random(bench, locker, witness, forest, i); });
    }
  }
  bench.expect(witness.grants() >= 8 * 50, "most of the locks were granted");
}

// Takes locks one after another, which can close cycles; a victim lets go of all and goes on.
void nest_at_random(Bench& bench, PartitionLocker& locker, const std::vector<PartitionSpec>& forest,
                    int me) {
  Random random(static_cast<Random::result_type>(me + 100));
  LockOptions options;
  options.timeout = bench.bound(6);
  for (int round = 0; round < 60; ++round) {
    std::vector<LockHandle> held;
    for (int depth = 0; depth < 3; ++depth) {
      Result<LockHandle> handle = locker.lock(random_set(random, forest), options);
      if (!handle) {
        if (handle.error().errc == Errc::deadlock) break;
        bench.expect(false, "a nested lock ended with: " + handle.error().message);
        return;
      }
      held.push_back(std::move(handle).value());
    }
  }
}

void random_nesting(Bench& bench) {
  const std::vector<PartitionSpec> forest = small_forest(bench);
  PartitionLocker one = bench.locker();
  PartitionLocker two = bench.locker();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 6; ++i) {
    PartitionLocker& locker = i % 2 == 0 ? one : two;
    threads.emplace_back([&, i] { nest_at_random(bench, locker, forest, i); });
  }
}

constexpr Check topic[] = {
    {"random sets over a forest never overlap and their tokens rise", "L12 L22", Needs::sets,
     random_sets},
    {"random nested locks end with a grant or a deadlock and never hang", "L25", Needs::sets,
     random_nesting},
};

}  // namespace

std::span<const Check> mixed_checks() {
  return topic;
}

}  // namespace locker::conformance
