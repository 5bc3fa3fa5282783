#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "core/lock_set.h"
#include "runtime/attempt.h"
#include "runtime/grant.h"
#include "runtime/lifeline.h"
#include "runtime/lock_backend.h"
#include "runtime/surely.h"

namespace locker::runtime {

// A verb that goes on whether or not somebody still waits for it.
struct Background {
  EventPtr done;
  std::optional<Result<void>> result;
};
using BackgroundPtr = std::shared_ptr<Background>;

struct EngineOptions {
  OwnerInfo self;  // this process; its owner is filled in for each request
  Milliseconds connect_timeout{15000};
  // Whether that process started this one, directly or not.
  std::function<bool(const OwnerInfo&)> is_ancestor;
};

// A locker without a thread of its own: one session at a time with one coordinator, the owners that
// hold by it, and the requests that wait. Everything runs on the executor's one thread.
class Engine : public std::enable_shared_from_this<Engine> {
 public:
  static constexpr int most_waiting_requests = 4000;
  // How long past its deadline a caller is kept, at most, while its place is being given up.
  static constexpr Milliseconds hard_stop_after{400};

  Engine(boost::asio::any_io_executor executor, std::shared_ptr<Clock> clock,
         std::shared_ptr<LockBackend> backend, EngineOptions options);

  // Opens the first session. Errors: unavailable, unauthorized, mismatch, ….
  awaitable<Result<void>> start();
  // Ends the session: what is held is lost, what waits ends with `cancelled`. Nothing is left
  // behind.
  awaitable<void> stop();

  // Answers when the attempt is granted or has ended otherwise; see PartitionLocker::lock.
  awaitable<Result<GrantPtr>> acquire(AttemptPtr attempt);
  AttemptPtr make_attempt();
  // The caller leaves; its attempt answers `cancelled` unless it has been answered.
  void cancel(const AttemptPtr& attempt);

  // One handle less counts on the grant; the last lets go.
  awaitable<Result<void>> release(GrantPtr grant);
  awaitable<Result<void>> downgrade(GrantPtr grant);
  // Moves the grant from its owner's count to another owner's.
  awaitable<Result<void>> give(GrantPtr grant, Owner owner);
  // The newest grant of that owner for exactly this resource; null: none.
  GrantPtr find_grant(const std::string& owner_id, const core::Resource& resource) const;

  // A session to work by, opened if there is none. Errors: unavailable, unauthorized, mismatch, ….
  awaitable<Result<LifelinePtr>> lifeline(Deadline deadline);

  // Puts specs into their tables' column order. `columns` gets what the places rely on.
  struct Resolved {
    core::PreparedSet set;
    std::vector<TableColumns> columns;
  };
  awaitable<Result<Resolved>> resolve(LockSet members);
  // Forgets what is known of column orders: the coordinator has others.
  void forget_columns() { columns_.clear(); }

  const std::shared_ptr<Clock>& clock() const { return clock_; }
  const boost::asio::any_io_executor& executor() const { return executor_; }
  LockBackend& backend() const { return *backend_; }
  const EngineOptions& options() const { return options_; }

  // For the recipe.
  GrantPtr covering_grant(const Owner& owner, const std::vector<core::Place>& places) const;
  bool holds_anything(const std::string& owner_id) const;
  void add_grant(const GrantPtr& grant);
  // A grant that has ended is nobody's any more.
  void forget_grant(const GrantPtr& grant);
  Deadline connect_deadline() const { return clock_->after(options_.connect_timeout); }
  // Starts the attempt's wait, unless it has begun.
  void begin_wait(const AttemptPtr& attempt);

 private:
  struct OwnerState {
    std::vector<GrantPtr> grants;  // in the order of their granting
    bool waiting = false;
  };

  void line_lost(const Lifeline& line, const Error& why);
  // Waits for something that goes on in the background when the caller is told before it has ended.
  awaitable<Result<void>> bounded(BackgroundPtr work);
  awaitable<Result<std::optional<TableColumns>>> columns_of(core::Resource table);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<Clock> clock_;
  std::shared_ptr<LockBackend> backend_;
  EngineOptions options_;
  LifelinePtr line_;
  bool opening_ = false;
  std::vector<std::weak_ptr<Event>> waiting_for_line_;
  std::optional<Error> stopped_;
  std::map<std::string, OwnerState> owners_;
  std::map<std::string, std::optional<TableColumns>> columns_;
  std::vector<std::weak_ptr<Attempt>> attempts_;
  int waiting_requests_ = 0;
};
using EnginePtr = std::shared_ptr<Engine>;

}  // namespace locker::runtime
