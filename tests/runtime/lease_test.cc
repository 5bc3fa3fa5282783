#include "runtime/lease.h"

#include <algorithm>

#include "tests/support/test.h"

using namespace locker::runtime;

namespace {

constexpr Milliseconds timeout{30000};
BootTime at(std::int64_t milliseconds) {
  return BootTime(Milliseconds(milliseconds));
}

}  // namespace

TEST_CASE("a new lease counts from before its connection was asked for") {
  const Lease lease(timeout, at(1000));
  CHECK(lease.valid_until() == at(1000 + 27000));
}

TEST_CASE("the last confirmed write alone proves nothing") {
  Lease lease(timeout, at(0));
  lease.answered(at(10000), at(10001));
  lease.confirmed(at(10000));
  CHECK(lease.valid_until() == at(27000));
}

TEST_CASE("an answer counts once a write was sent a quarter of the time-out after it") {
  Lease lease(timeout, at(0));
  lease.answered(at(10000), at(10100));
  lease.confirmed(at(17599));
  CHECK(lease.valid_until() == at(27000));
  lease.confirmed(at(17600));
  CHECK(lease.valid_until() == at(10000 + 27000));
}

TEST_CASE("a basis never goes back") {
  Lease lease(timeout, at(0));
  lease.answered(at(10000), at(10001));
  lease.confirmed(at(20000));
  lease.answered(at(5000), at(20001));
  lease.confirmed(at(30000));
  CHECK(lease.valid_until() == at(10000 + 27000));
}

TEST_CASE("an idle session that reads may believe at its first write") {
  Lease lease(timeout, at(0));
  for (std::int64_t now = 5000; now < 10'000'000; now += 5000)
    lease.answered(at(now), at(now + 20));
  lease.confirmed(at(10'000'000));
  const Milliseconds left = lease.valid_until() - at(10'000'000);
  CHECK(left >= timeout * 2 / 5);
}

TEST_CASE("the fractions leave at least 0.4 of the time-out in health") {
  for (const std::int64_t delay : {0, 1, 50, 1000, 2400}) {
    Lease lease(timeout, at(0));
    const std::int64_t every = LeaseRule::beat_every(timeout).count();
    std::int64_t confirmed_at = 0;
    Milliseconds least = Milliseconds::max();
    for (std::int64_t sent = every; sent < 100 * every; sent += every) {
      // Just before this confirmation the belief rests on the one before.
      if (confirmed_at > 0) least = std::min(least, lease.valid_until() - at(sent + delay));
      lease.answered(at(sent), at(sent + delay));
      lease.confirmed(at(sent));
      confirmed_at = sent + delay;
    }
    INFO("answers take " << delay << " ms");
    CHECK(least + Milliseconds(delay) >= timeout * 2 / 5 - Milliseconds(1));
  }
}

TEST_CASE("a holder stops before the coordinator gives its place away") {
  // The worst follower tells the leader nothing after an operation that it answered: the leader
  // counts from the last operation that is a quarter of the time-out older. Whatever the spacing,
  // belief ends before T after the sending of that operation, less a tenth for the clocks.
  for (std::int64_t spacing = 500; spacing <= 15000; spacing += 500) {
    Lease lease(timeout, at(0));
    std::int64_t newest_old_enough = 0;
    for (std::int64_t sent = spacing; sent < 40 * spacing; sent += spacing) {
      lease.answered(at(sent), at(sent + 10));
      lease.confirmed(at(sent));
      for (std::int64_t other = spacing; other + 10 <= sent - 7500; other += spacing) {
        newest_old_enough = std::max(newest_old_enough, other);
      }
      CHECK(lease.valid_until() == at(newest_old_enough + 27000));
    }
  }
}

TEST_CASE("who stops only on a word is told at 0.8 and out of time at 0.9 of the time-out") {
  const Lease lease(timeout, at(0));
  CHECK(lease.valid_until() == at(27000));
  CHECK(lease.valid_until() - LeaseRule::stopping(timeout) == at(24000));
}
