#include <locker/partition_locker.h>

#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "api/handle_state.h"
#include "api/locker_thread.h"
#include "runtime/acquire.h"
#include "runtime/observe.h"
#include "runtime/queue_view.h"

namespace locker {
namespace {

using boost::asio::awaitable;
using runtime::LockerThreadPtr;

// Ends an attempt when the caller's stop token is requested.
class CancelOnStop {
 public:
  CancelOnStop(const std::stop_token& token, LockerThreadPtr thread, runtime::AttemptPtr attempt)
      : callback_(token, Cancel{std::move(thread), std::move(attempt)}) {}

 private:
  struct Cancel {
    LockerThreadPtr thread;
    runtime::AttemptPtr attempt;
    void operator()() const {
      thread->post([owner = thread, left = attempt] { owner->engine()->cancel(left); });
    }
  };
  std::stop_callback<Cancel> callback_;
};

runtime::AttemptPtr make_attempt(const LockerThreadPtr& thread, const LockSet& members,
                                 const LockOptions& options, const Owner& owner) {
  const runtime::AttemptPtr attempt = thread->engine()->make_attempt();
  attempt->members = members;
  attempt->owner = owner;
  attempt->reason = options.reason.substr(0, 256);
  attempt->timeout = std::max(options.timeout, std::chrono::milliseconds(0));
  attempt->tries = attempt->timeout == std::chrono::milliseconds(0);
  attempt->on_waiting = options.on_waiting;
  return attempt;
}

awaitable<Result<LockHandle>> lock_on(LockerThreadPtr thread, runtime::AttemptPtr attempt,
                                      std::stop_token cancel) {
  const auto stop = std::make_unique<CancelOnStop>(cancel, thread, attempt);
  Result<runtime::GrantPtr> grant = co_await thread->engine()->acquire(attempt);
  if (!grant) co_return grant.error();
  co_return LockHandle(std::make_shared<runtime::HandleState>(thread, *grant, attempt->owner));
}

awaitable<Result<void>> wait_on(LockerThreadPtr thread, runtime::AttemptPtr attempt,
                                std::stop_token cancel) {
  const auto stop = std::make_unique<CancelOnStop>(cancel, thread, attempt);
  const runtime::EnginePtr engine = thread->engine();
  co_return co_await runtime::wait_until_free(engine, attempt);
}

awaitable<Result<std::vector<Contender>>> blockers_on(runtime::EnginePtr engine, LockSet members,
                                                      Owner owner) {
  Result<std::vector<runtime::StandingTicket>> ahead =
      co_await runtime::look_ahead(engine, members, owner);
  if (!ahead) co_return ahead.error();
  co_return runtime::queue_view(*ahead);
}

awaitable<Result<void>> unlock_on(runtime::EnginePtr engine, PartitionSpec spec, Owner owner) {
  const LockSet members{{spec, LockMode::exclusive}};
  Result<runtime::Engine::Resolved> resolved = co_await engine->resolve(members);
  if (!resolved) co_return resolved.error();
  const core::Resource resource = resolved->set.places.front().resource;
  const runtime::GrantPtr grant = engine->find_grant(owner.id(), resource);
  // The handle must know, or it would let go a second time, of somebody else's share.
  if (grant == nullptr || !grant->end_newest_share()) {
    co_return make_error(Errc::invalid, spec.to_string() +
                                            " is not held by this owner through this locker: "
                                            "nothing to unlock");
  }
  co_return co_await engine->release(grant);
}

awaitable<Result<std::pair<int, std::optional<std::chrono::milliseconds>>>> session_facts(
    runtime::EnginePtr engine) {
  Result<runtime::LifelinePtr> line = co_await runtime::present_line(engine);
  if (!line) co_return line.error();
  const runtime::Session& session = (*line)->session();
  co_return std::pair(session.liveness_descriptor(), session.timeout());
}

}  // namespace

PartitionLocker::PartitionLocker(std::shared_ptr<runtime::LockerThread> thread)
    : thread_(std::move(thread)) {}
PartitionLocker::PartitionLocker(PartitionLocker&&) noexcept = default;

PartitionLocker& PartitionLocker::operator=(PartitionLocker&& other) noexcept {
  std::swap(thread_, other.thread_);
  return *this;
}

PartitionLocker::~PartitionLocker() {
  if (thread_ != nullptr) thread_->close();
}

// The standard library reports by throwing that there is no thread or descriptor left.
Result<PartitionLocker> PartitionLocker::open(std::string_view url, OpenOptions options) try {
  auto thread = std::make_shared<runtime::LockerThread>();
  Result<void> opened = thread->open(url, options);
  if (!opened) {
    thread->close();
    return opened.error();
  }
  return PartitionLocker(std::move(thread));
} catch (const std::system_error& failure) {
  return make_error(Errc::unavailable, "no_resources",
                    std::string("a locker cannot be started (") + failure.what() +
                        "): raise the limits of this process");
}

Result<LockHandle> PartitionLocker::lock(const PartitionSpec& resource,
                                         const LockOptions& options) {
  return lock(LockSet{{resource, LockMode::exclusive}}, options);
}

Result<LockHandle> PartitionLocker::lock(const LockSet& members, const LockOptions& options) {
  const Owner owner = options.owner.value_or(Owner::this_thread());
  runtime::AttemptPtr attempt = make_attempt(thread_, members, options, owner);
  return thread_->run_and_wait(lock_on(thread_, std::move(attempt), options.cancel));
}

Result<LockHandle> PartitionLocker::try_lock(const PartitionSpec& resource,
                                             std::chrono::milliseconds timeout) {
  LockOptions options;
  options.timeout = timeout;
  return lock(resource, options);
}

Pending<LockHandle> PartitionLocker::async_lock(const PartitionSpec& resource) {
  return async_lock(resource, LockOptions());
}

Pending<LockHandle> PartitionLocker::async_lock(const LockSet& members) {
  return async_lock(members, LockOptions());
}

Pending<LockHandle> PartitionLocker::async_lock(const PartitionSpec& resource,
                                                const LockOptions& options) {
  return async_lock(LockSet{{resource, LockMode::exclusive}}, options);
}

Pending<LockHandle> PartitionLocker::async_lock(const LockSet& members,
                                                const LockOptions& options) {
  // Two coroutines on one thread must exclude each other.
  const Owner owner = options.owner.has_value() ? *options.owner : Owner::create();
  runtime::AttemptPtr attempt = make_attempt(thread_, members, options, owner);
  return thread_->run(lock_on(thread_, std::move(attempt), options.cancel));
}

Result<void> PartitionLocker::unlock(const PartitionSpec& resource,
                                     const std::optional<Owner>& owner) {
  return thread_->run_and_wait(
      unlock_on(thread_->engine(), resource, owner.value_or(Owner::this_thread())));
}

Result<std::vector<Contender>> PartitionLocker::list(const std::optional<PartitionSpec>& prefix,
                                                     bool above) {
  return thread_->run_and_wait(runtime::list_queue(thread_->engine(), prefix, above));
}

Result<std::vector<Contender>> PartitionLocker::blockers(const LockSet& members,
                                                         const std::optional<Owner>& owner) {
  return thread_->run_and_wait(
      blockers_on(thread_->engine(), members, owner.value_or(Owner::this_thread())));
}

Result<void> PartitionLocker::wait_until_free(const LockSet& members, const LockOptions& options) {
  const Owner owner = options.owner.value_or(Owner::this_thread());
  runtime::AttemptPtr attempt = make_attempt(thread_, members, options, owner);
  return thread_->run_and_wait(wait_on(thread_, std::move(attempt), options.cancel));
}

Result<Broken> PartitionLocker::break_session(std::string_view holder, std::string_view reason) {
  return thread_->run_and_wait(
      runtime::break_holder(thread_->engine(), std::string(holder), std::string(reason)));
}

Result<std::vector<SessionInfo>> PartitionLocker::sessions(
    const std::optional<PartitionSpec>& prefix) {
  return thread_->run_and_wait(runtime::list_sessions(thread_->engine(), prefix));
}

Result<std::vector<LeftOver>> PartitionLocker::left_overs() {
  return thread_->run_and_wait(runtime::left_overs(thread_->engine()));
}

Result<int> PartitionLocker::clean() {
  return thread_->run_and_wait(runtime::clean(thread_->engine()));
}

Result<std::optional<int>> PartitionLocker::prepare(const std::vector<PartitionSpec>& partitions,
                                                    std::chrono::system_clock::time_point until) {
  return thread_->run_and_wait(runtime::prepare(thread_->engine(), partitions, until));
}

Result<std::optional<TableColumns>> PartitionLocker::table_columns(const PartitionSpec& table) {
  return thread_->run_and_wait(runtime::table_columns(thread_->engine(), table));
}

Result<std::vector<TableColumns>> PartitionLocker::tables() {
  return thread_->run_and_wait(runtime::all_tables(thread_->engine()));
}

Result<void> PartitionLocker::register_table(const PartitionSpec& table,
                                             const std::vector<std::string>& columns,
                                             bool replace) {
  return thread_->run_and_wait(runtime::register_table(thread_->engine(), table, columns, replace));
}

Result<void> PartitionLocker::unregister_table(const PartitionSpec& table) {
  return thread_->run_and_wait(runtime::unregister_table(thread_->engine(), table));
}

Result<void> PartitionLocker::record(const LockHandle& held, std::string_view key,
                                     std::string_view value) {
  if (held.state_ == nullptr || held.state_->released()) {
    return make_error(Errc::invalid, "nothing is held: there is no lock to record under");
  }
  return thread_->run_and_wait(
      runtime::record(held.state_->shared_grant(), std::string(key), std::string(value)));
}

Result<std::optional<std::string>> PartitionLocker::recorded(std::string_view key) {
  return thread_->run_and_wait(runtime::recorded(thread_->engine(), std::string(key)));
}

Result<void> PartitionLocker::forget_record(std::string_view key) {
  return thread_->run_and_wait(runtime::forget_record(thread_->engine(), std::string(key)));
}

std::optional<std::chrono::milliseconds> PartitionLocker::session_timeout() const {
  const auto facts = thread_->run_and_wait(session_facts(thread_->engine()));
  return facts ? facts->second : std::nullopt;
}

std::optional<std::chrono::milliseconds> PartitionLocker::stopping_time() const {
  const std::optional<std::chrono::milliseconds> timeout = session_timeout();
  if (!timeout.has_value()) return std::nullopt;
  return runtime::LeaseRule::stopping(*timeout);
}

std::string PartitionLocker::url() const {
  return thread_->engine()->backend().url();
}

std::vector<std::string> PartitionLocker::warnings() const {
  return thread_->engine()->backend().warnings();
}

std::vector<std::string> PartitionLocker::advice() const {
  return thread_->engine()->backend().advice();
}

int PartitionLocker::liveness_descriptor() const {
  const auto facts = thread_->run_and_wait(session_facts(thread_->engine()));
  return facts ? facts->first : -1;
}

}  // namespace locker
