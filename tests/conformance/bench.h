#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include <locker/partition_locker.h>

#include "tests/conformance/ask.h"
#include "tests/conformance/conformance.h"

namespace locker::conformance {

// Ends a check that can't go on. Thrown by the bench and caught by `run`, as a test framework's
// own exception is; it passes through check bodies only.
struct Abandoned {};

using Where = std::source_location;

// What a check works with: lockers on the backend under test, names of its own, bounds on liveness,
// and a list of what was not as it should be. Used on the check's thread; `expect` on any.
class Bench {
 public:
  explicit Bench(Settings settings);
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // A new session, as another process would have.
  PartitionLocker locker(Where where = Where::current());
  // A database that nobody else uses, and a table likewise.
  PartitionSpec database();
  PartitionSpec table();
  // The key of a record about a resource, which is forgotten with the check.
  std::string record_key(const PartitionSpec& resource, std::string_view name);
  // The bench's own session, which holds nothing: for looking on.
  PartitionLocker& observer();

  // How long anything live may take at most; `factor` for what takes many steps.
  std::chrono::milliseconds bound(double factor = 1) const;
  // Whether the condition comes true within the bound: for what has no event to await.
  bool until(const std::function<bool()>& condition, double factor = 1) const;

  // Records a failure unless `right`; returns `right`.
  bool expect(bool right, std::string_view what, Where where = Where::current());
  // The same, and ends the check: for what the rest stands on.
  void must(bool right, std::string_view what, Where where = Where::current());

  // The lock, which must have been granted, now or within the bound.
  LockHandle granted(Result<LockHandle> result, std::string_view what,
                     Where where = Where::current());
  LockHandle granted(Ask& ask, std::string_view what, Where where = Where::current());
  // The error, which must be of this class.
  template <typename T>
  Error ended(const Result<T>& result, Errc errc, std::string_view what,
              Where where = Where::current());
  Error ended(Ask& ask, Errc errc, std::string_view what, Where where = Where::current());
  // The value of a call that must succeed.
  template <typename T>
  T value(Result<T> result, std::string_view what, Where where = Where::current());
  bool ok(const Result<void>& result, std::string_view what, Where where = Where::current());

  // Everybody at or below `prefix`, in queue order; those who wait; those who hold.
  std::vector<Contender> listed(const PartitionSpec& prefix, Where where = Where::current());
  std::vector<Contender> waiters(const PartitionSpec& prefix, Where where = Where::current());
  std::vector<Contender> holders(const PartitionSpec& prefix, Where where = Where::current());
  // Waits until exactly `count` members of requests wait at or below `prefix`: the order of a queue
  // is made by asking, seeing the waiter stand, and only then asking next.
  void await_waiters(const PartitionSpec& prefix, std::size_t count,
                     Where where = Where::current());

  const std::vector<std::string>& failures() const { return failures_; }
  bool unsupported() const { return unsupported_; }
  // Waits until nothing is left in the check's databases and forgets their column orders.
  void clean_up();

 private:
  bool judge(const Error* error, std::string_view what, Where where);
  Error judge_error(const Error* error, Errc errc, std::string_view what, Where where);

  Settings settings_;
  std::string prefix_;
  std::vector<PartitionSpec> databases_;
  std::vector<std::string> record_keys_;
  int tables_ = 0;
  std::optional<PartitionLocker> observer_;
  std::mutex mutex_;
  std::vector<std::string> failures_;
  bool unsupported_ = false;
};

// Somebody who locks: a session and an owner of its own, like another process with one thread.
class Party {
 public:
  explicit Party(Bench& bench);
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  // The lock, which must be granted within the bound.
  LockHandle hold(const Wanted& wanted, Where where = Where::current());
  // Takes it now or not at all.
  Result<LockHandle> attempt(const Wanted& wanted);
  // Asks and goes on; the party's owner asks unless the options name another.
  Ask ask(const Wanted& wanted, LockOptions options = {});
  // The same, and returns once it stands in the queue, which had `before` waiters there.
  Ask queue(const Wanted& wanted, std::size_t before, LockOptions options = {},
            Where where = Where::current());

  PartitionLocker locker;
  Owner owner = Owner::create();

 private:
  Bench& bench_;
};

template <typename T>
Error Bench::ended(const Result<T>& result, Errc errc, std::string_view what, Where where) {
  return judge_error(result.has_value() ? nullptr : &result.error(), errc, what, where);
}

template <typename T>
T Bench::value(Result<T> result, std::string_view what, Where where) {
  if (!judge(result.has_value() ? nullptr : &result.error(), what, where)) throw Abandoned{};
  return std::move(result).value();
}

}  // namespace locker::conformance
