#include "runtime/engine.h"

#include <algorithm>
#include <utility>

#include "core/column_order.h"
#include "runtime/acquire.h"
#include "runtime/messages.h"
#include "runtime/spawn.h"

namespace locker::runtime {
namespace {

awaitable<void> leave_in_background(ClockPtr clock, LifelinePtr line, std::string request_id,
                                    BackgroundPtr work) {
  work->result = co_await leave_surely(clock, line, request_id);
  work->done->set();
}

awaitable<void> lower_in_background(ClockPtr clock, LifelinePtr line, std::string request_id,
                                    BackgroundPtr work) {
  work->result = co_await lower_surely(clock, line, request_id);
  work->done->set();
}

}  // namespace

Engine::Engine(boost::asio::any_io_executor executor, std::shared_ptr<Clock> clock,
               std::shared_ptr<LockBackend> backend, EngineOptions options)
    : executor_(std::move(executor)),
      clock_(std::move(clock)),
      backend_(std::move(backend)),
      options_(std::move(options)) {}

awaitable<Result<void>> Engine::start() {
  const Deadline deadline = connect_deadline();
  Result<LifelinePtr> line = co_await lifeline(deadline);
  if (!line) co_return line.error();
  co_return Result<void>();
}

awaitable<void> Engine::stop() {
  stopped_ = make_error(Errc::cancelled, "this locker is closed");
  for (const auto& waiting : attempts_) {
    const AttemptPtr attempt = waiting.lock();
    if (attempt != nullptr) attempt->finish(*stopped_);
  }
  if (line_ == nullptr) co_return;
  const LifelinePtr line = line_;
  line->close(make_error(Errc::lost, "this locker is closed"));
  co_await line->closed();
}

AttemptPtr Engine::make_attempt() {
  auto attempt = std::make_shared<Attempt>();
  attempt->wake = clock_->make_event();
  attempt->answered = clock_->make_event();
  return attempt;
}

void Engine::begin_wait(const AttemptPtr& attempt) {
  if (attempt->deadline.has_value()) return;
  if (attempt->tries) {
    // A try waits for nobody, but for the coordinator's answer.
    attempt->deadline = Deadline{};
    const Deadline hard_stop = connect_deadline();
    attempt->hard_stop_alarm = clock_->wake_at(hard_stop, attempt->answered);
    return;
  }
  attempt->deadline = clock_->after(attempt->timeout);
  attempt->deadline_alarm = clock_->wake_at(*attempt->deadline, attempt->wake);
  // A wait shorter than a round trip may still have one: what is known only then is the answer.
  const Milliseconds grace =
      attempt->timeout < std::chrono::seconds(1) ? options_.connect_timeout : hard_stop_after;
  const Deadline hard_stop =
      attempt->deadline->never() ? Deadline{} : clock_->after(attempt->timeout + grace);
  attempt->hard_stop_alarm = clock_->wake_at(hard_stop, attempt->answered);
}

awaitable<Result<GrantPtr>> Engine::acquire(AttemptPtr attempt) {
  if (stopped_.has_value()) co_return *stopped_;
  if (attempt->members.empty()) {
    co_return make_error(Errc::invalid, "a set needs at least one member");
  }
  const std::string owner_id = attempt->owner.id();
  if (owners_[owner_id].waiting) {
    co_return make_error(
        Errc::invalid,
        "this owner already has a waiting request: an owner waits for one thing at "
        "a time, use another Owner");
  }
  if (waiting_requests_ >= most_waiting_requests) {
    co_return make_error(Errc::rate_limited,
                         std::to_string(most_waiting_requests) +
                             " requests of this locker wait already: let some of them end first");
  }
  std::erase_if(attempts_, [](const auto& other) { return other.expired(); });
  attempts_.push_back(attempt);
  owners_[owner_id].waiting = true;
  ++waiting_requests_;
  attempt->owner_holds = holds_anything(owner_id);
  // A wait of a second or more includes connecting; a shorter one begins when the session is up.
  if (attempt->timeout >= std::chrono::seconds(1)) begin_wait(attempt);
  spawn(executor_, locker::runtime::acquire(shared_from_this(), attempt));
  while (!attempt->over()) {
    co_await attempt->answered->wait();
    if (attempt->over()) break;
    // The hard stop: the caller is told, and the attempt goes on until it has left nothing behind.
    if (attempt->caller_left) {
      attempt->finish(make_error(Errc::cancelled, "the wait was cancelled"));
    } else if (attempt->has_looked) {
      attempt->finish(timeout_error(attempt->members, attempt->timeout, attempt->seen));
    } else {
      const Milliseconds waited = attempt->tries ? options_.connect_timeout : attempt->timeout;
      attempt->finish(no_answer_error(backend_->url(), waited));
    }
  }
  --waiting_requests_;
  OwnerState& state = owners_[owner_id];
  state.waiting = false;
  if (state.grants.empty()) owners_.erase(owner_id);
  co_return *attempt->answer;
}

void Engine::cancel(const AttemptPtr& attempt) {
  if (attempt->over()) return;
  attempt->caller_left = true;
  attempt->wake->set();
  const Deadline hard_stop = clock_->after(hard_stop_after);
  attempt->cancel_alarm = clock_->wake_at(hard_stop, attempt->answered);
}

awaitable<Result<LifelinePtr>> Engine::lifeline(Deadline deadline) {
  while (opening_) {
    const EventPtr opened = clock_->make_event();
    waiting_for_line_.push_back(opened);
    co_await opened->wait();
  }
  if (stopped_.has_value()) co_return *stopped_;
  if (line_ != nullptr && !line_->is_lost()) co_return line_;
  opening_ = true;
  Result<SessionPtr> session = co_await backend_->open_session(deadline);
  opening_ = false;
  for (const auto& waiting : std::exchange(waiting_for_line_, {})) {
    if (const EventPtr event = waiting.lock()) event->set();
  }
  if (!session) co_return session.error();
  line_ = std::make_shared<Lifeline>(executor_, clock_, *session);
  line_->when_lost([weak = weak_from_this(), lost = line_.get()](const Error& why) {
    if (const EnginePtr self = weak.lock()) self->line_lost(*lost, why);
  });
  line_->start();
  if (stopped_.has_value()) {
    line_->close(*stopped_);
    co_return *stopped_;
  }
  co_return line_;
}

void Engine::line_lost(const Lifeline& line, const Error& why) {
  std::vector<GrantPtr> lost;
  for (auto& [owner, state] : owners_) {
    for (const GrantPtr& grant : state.grants) {
      if (grant->lifeline().get() == &line) lost.push_back(grant);
    }
  }
  for (const GrantPtr& grant : lost) {
    grant->end(LockState::lost, why);
    forget_grant(grant);
  }
}

void Engine::add_grant(const GrantPtr& grant) {
  grant->lifeline()->begin_hold();
  grant->holds = 1;
  owners_[grant->owner_id()].grants.push_back(grant);
}

void Engine::forget_grant(const GrantPtr& grant) {
  const auto found = owners_.find(grant->owner_id());
  if (found == owners_.end()) return;
  OwnerState& state = found->second;
  std::erase(state.grants, grant);
  if (state.grants.empty() && !state.waiting) owners_.erase(found);
}

GrantPtr Engine::covering_grant(const Owner& owner, const std::vector<core::Place>& places) const {
  const auto found = owners_.find(owner.id());
  if (found == owners_.end()) return nullptr;
  for (const GrantPtr& grant : found->second.grants) {
    if (grant->held() && grant->covers(places)) return grant;
  }
  return nullptr;
}

bool Engine::holds_anything(const std::string& owner_id) const {
  const auto found = owners_.find(owner_id);
  return found != owners_.end() && !found->second.grants.empty();
}

GrantPtr Engine::find_grant(const std::string& owner_id, const core::Resource& resource) const {
  const auto found = owners_.find(owner_id);
  if (found == owners_.end()) return nullptr;
  const std::vector<GrantPtr>& grants = found->second.grants;
  const auto newest = std::find_if(grants.rbegin(), grants.rend(), [&](const GrantPtr& grant) {
    const std::vector<core::Place>& places = grant->request().places;
    return places.size() == 1 && places.front().resource == resource;
  });
  return newest == grants.rend() ? nullptr : *newest;
}

awaitable<Result<void>> Engine::bounded(BackgroundPtr work) {
  const Deadline deadline = connect_deadline();
  const Alarm alarm = clock_->wake_at(deadline, work->done);
  co_await work->done->wait();
  if (work->result.has_value()) co_return *std::move(work->result);
  co_return make_error(Errc::unavailable,
                       backend_->url() + " has not confirmed it; it goes on in the background");
}

awaitable<Result<void>> Engine::release(GrantPtr grant) {
  if (grant->state() == LockState::released) {
    co_return make_error(Errc::invalid, "nothing is held: this lock was released before");
  }
  const bool last = --grant->holds == 0;
  if (last) grant->lifeline()->end_hold();
  if (!grant->held()) {
    const std::optional<Error> why = grant->why_ended();
    co_return why.value_or(make_error(Errc::lost, "the lock was lost before it was released"));
  }
  if (!last) co_return Result<void>();
  grant->end(LockState::released, make_error(Errc::invalid, "the lock was released"));
  forget_grant(grant);
  if (grant->borrowed()) co_return Result<void>();
  auto work = std::make_shared<Background>();
  work->done = clock_->make_event();
  spawn(executor_, leave_in_background(clock_, grant->lifeline(), grant->request().id, work));
  co_return co_await bounded(work);
}

awaitable<Result<void>> Engine::downgrade(GrantPtr grant) {
  if (!grant->held()) {
    const std::optional<Error> why = grant->why_ended();
    co_return why.value_or(make_error(Errc::lost, "the lock was lost before it was downgraded"));
  }
  if (grant->borrowed()) {
    co_return make_error(
        Errc::invalid,
        "this lock belongs to the process that started this one: only that process "
        "can downgrade it");
  }
  if (grant->holds > 1) {
    co_return make_error(Errc::invalid,
                         "another handle of this owner counts on the exclusive lock: release it "
                         "before the downgrade");
  }
  grant->lower();
  auto work = std::make_shared<Background>();
  work->done = clock_->make_event();
  spawn(executor_, lower_in_background(clock_, grant->lifeline(), grant->request().id, work));
  co_return co_await bounded(work);
}

awaitable<Result<void>> Engine::give(GrantPtr grant, Owner owner) {
  if (!grant->held()) {
    const std::optional<Error> why = grant->why_ended();
    co_return why.value_or(make_error(Errc::lost, "the lock was lost before it was given away"));
  }
  const std::string giver = grant->owner_id();
  const std::string taker = owner.id();
  if (giver == taker) co_return Result<void>();
  if (grant->borrowed() || grant->holds > 1) {
    co_return make_error(
        Errc::invalid, "only a lock on which no other handle or process counts can be given away");
  }
  if (owners_[giver].waiting || owners_[taker].waiting) {
    co_return make_error(Errc::invalid,
                         "neither owner may have a waiting request while a lock changes hands");
  }
  // Nobody may count on the grant, or wait beside it, until the coordinator knows whose it is.
  owners_[giver].waiting = true;
  owners_[taker].waiting = true;
  const LifelinePtr line = grant->lifeline();
  const std::string request_id = grant->request().id;
  const Result<void> given = co_await reown_surely(clock_, line, request_id, owner);
  owners_[giver].waiting = false;
  owners_[taker].waiting = false;
  if (given && std::erase(owners_[giver].grants, grant) > 0) {
    grant->give_to(taker);
    owners_[taker].grants.push_back(grant);
  }
  std::erase_if(owners_, [](const auto& entry) {
    return entry.second.grants.empty() && !entry.second.waiting;
  });
  co_return given;
}

awaitable<Result<std::optional<TableColumns>>> Engine::columns_of(core::Resource table) {
  if (const auto known = columns_.find(table.path()); known != columns_.end()) {
    co_return known->second;
  }
  Directory& directory = backend_->directory();
  Result<std::optional<TableColumns>> columns = co_await directory.columns(table);
  // A table without an order is asked for again: the next lock may fix it.
  if (columns && columns->has_value()) columns_[table.path()] = *columns;
  co_return columns;
}

awaitable<Result<Engine::Resolved>> Engine::resolve(LockSet members) {
  Resolved resolved;
  std::vector<core::Place> places;
  std::map<std::string, TableColumns> orders;
  for (const LockMember& member : members) {
    const Result<void> sound = member.resource.check();
    if (!sound) co_return sound.error();
    if (member.resource.keys().empty()) {
      places.push_back({core::Resource(member.resource), member.mode});
      continue;
    }
    const PartitionSpec table_spec(member.resource.database(), member.resource.table());
    const core::Resource table(table_spec);
    TableColumns* order = nullptr;
    if (const auto seen = orders.find(table.path()); seen != orders.end()) {
      order = &seen->second;
    } else {
      Result<std::optional<TableColumns>> fixed = co_await columns_of(table);
      if (!fixed) co_return fixed.error();
      TableColumns start = fixed->value_or(TableColumns{});
      start.table = table_spec;
      order = &orders.emplace(table.path(), std::move(start)).first->second;
    }
    Result<core::OrderedSpec> ordered = core::in_column_order(member.resource, order);
    if (!ordered) co_return ordered.error();
    order->columns = ordered->columns;
    places.push_back({core::Resource(ordered->spec), member.mode});
  }
  Result<core::PreparedSet> set = core::prepare_set(places);
  if (!set) co_return set.error();
  resolved.set = *std::move(set);
  for (auto& [path, order] : orders) resolved.columns.push_back(std::move(order));
  co_return resolved;
}

}  // namespace locker::runtime
