#include "runtime/observe.h"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/queue_view.h"

namespace locker::runtime {
namespace {

Result<core::Resource> checked_table(const PartitionSpec& table) {
  if (Result<void> sound = table.check(); !sound) return sound.error();
  if (table.table().empty() || !table.keys().empty()) {
    return make_error(Errc::invalid, "bad_spec",
                      "a table is meant here, as in ods.user_info: without partition columns");
  }
  return core::Resource(table);
}

std::string joined(const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : "/") + column;
  return text;
}

// The columns as a spec would name them: lowered, distinct, each fit for a path.
Result<std::vector<std::string>> checked_columns(const PartitionSpec& table,
                                                 const std::vector<std::string>& columns) {
  if (columns.empty()) {
    return make_error(Errc::invalid, "name at least one partition column, in the table's order");
  }
  PartitionSpec spec = table;
  for (const std::string& column : columns) spec.with(column, "value");
  if (Result<void> sound = spec.check(); !sound) return sound.error();
  std::vector<std::string> names;
  for (const PartitionKey& key : spec.keys()) names.push_back(key.column);
  return names;
}

awaitable<Result<GrantPtr>> lock_table(EnginePtr engine, PartitionSpec table) {
  const AttemptPtr attempt = engine->make_attempt();
  attempt->members = {{table, LockMode::exclusive}};
  attempt->owner = Owner::create();
  attempt->reason = "changing the order of the partition columns";
  attempt->timeout = default_timeout;
  co_return co_await engine->acquire(attempt);
}

}  // namespace

awaitable<Result<LifelinePtr>> present_line(EnginePtr engine) {
  const Deadline deadline = engine->connect_deadline();
  co_return co_await engine->lifeline(deadline);
}

awaitable<Result<std::vector<Contender>>> list_queue(EnginePtr engine,
                                                     std::optional<PartitionSpec> prefix,
                                                     bool above) {
  if (!prefix.has_value()) {
    Directory& directory = engine->backend().directory();
    const core::Resource everywhere;
    Result<std::vector<StandingTicket>> all = co_await directory.list(everywhere);
    if (!all) co_return all.error();
    co_return queue_view(*all);
  }
  const LockSet members{{*prefix, LockMode::exclusive}};
  Result<Engine::Resolved> resolved = co_await engine->resolve(members);
  if (!resolved) co_return resolved.error();
  Result<LifelinePtr> line = co_await present_line(engine);
  if (!line) co_return line.error();
  const ClockPtr clock = engine->clock();
  const LifelinePtr lifeline = *line;
  const std::vector<core::Place> places = resolved->set.places;
  Result<std::vector<StandingTicket>> near = co_await standing_surely(clock, lifeline, places);
  if (!near) co_return near.error();
  const std::vector<Contender> everybody = queue_view(*near);
  Result<PartitionSpec> ordered = places.front().resource.spec();
  if (!ordered) co_return ordered.error();
  std::vector<Contender> wanted;
  for (const Contender& contender : everybody) {
    if (above || ordered->covers(contender.resource)) wanted.push_back(contender);
  }
  co_return wanted;
}

awaitable<Result<std::vector<SessionInfo>>> list_sessions(EnginePtr engine,
                                                          std::optional<PartitionSpec> prefix) {
  Directory& directory = engine->backend().directory();
  Result<std::vector<SessionInfo>> sessions = co_await directory.sessions();
  if (!sessions || !prefix.has_value()) co_return sessions;
  Result<std::vector<Contender>> there = co_await list_queue(engine, prefix, true);
  if (!there) co_return there.error();
  std::set<std::string> ids;
  for (const Contender& contender : *there) ids.insert(contender.session);
  std::erase_if(*sessions, [&](const SessionInfo& session) { return !ids.contains(session.id); });
  co_return sessions;
}

namespace {

// Waits until the holder of a broken session has let go. Error: timeout, when its grace is over.
awaitable<Result<void>> wait_until_gone(EnginePtr engine, std::vector<core::Ticket> tickets,
                                        Milliseconds grace) {
  Result<LifelinePtr> opened = co_await present_line(engine);
  if (!opened) co_return opened.error();
  const LifelinePtr line = *opened;
  const ClockPtr clock = engine->clock();
  const EventPtr wake = clock->make_event();
  line->on_lost(wake);
  const Deadline deadline = clock->after(grace);
  const Alarm alarm = clock->wake_at(deadline, wake);
  while (!tickets.empty()) {
    if (clock->now() >= deadline.at) co_return make_error(Errc::timeout, "the grace is over");
    const core::Ticket next = tickets.front();
    const Result<void> armed = co_await line->session().watch(next, wake);
    if (!armed && armed.error().errc != Errc::unavailable) co_return armed;
    co_await wake->wait();
    Result<std::vector<core::Ticket>> left = co_await still_there_surely(clock, line, tickets);
    if (!left) co_return left.error();
    tickets = *std::move(left);
  }
  co_return Result<void>();
}

// How long the holder by a session may go on: by its own time-out, which may be longer than ours.
awaitable<Result<Milliseconds>> grace_of(EnginePtr engine, std::string session_id) {
  Result<LifelinePtr> line = co_await present_line(engine);
  if (!line) co_return line.error();
  const Milliseconds ours = Lifeline::break_grace((*line)->session().timeout());
  Directory& directory = engine->backend().directory();
  Result<std::vector<SessionInfo>> sessions = co_await directory.sessions();
  if (!sessions) co_return sessions.error();
  const auto found = std::ranges::find(*sessions, session_id, &SessionInfo::id);
  const bool known = found != sessions->end() && found->timeout.has_value();
  co_return known ? std::max(ours, Lifeline::break_grace(found->timeout)) : ours;
}

}  // namespace

awaitable<Result<Broken>> break_holder(EnginePtr engine, std::string request_id,
                                       std::string reason) {
  if (reason.empty()) {
    co_return make_error(Errc::invalid, "say why: the holder and the records will show it");
  }
  Directory& directory = engine->backend().directory();
  const core::Resource everywhere;
  Result<std::vector<StandingTicket>> all = co_await directory.list(everywhere);
  if (!all) co_return all.error();
  const auto found = std::ranges::find(
      *all, request_id, [](const StandingTicket& one) { return one.ticket.request; });
  if (found == all->end()) {
    co_return make_error(Errc::not_found, "nobody stands with the id " + request_id +
                                              ": it may have ended meanwhile, list again");
  }
  const std::string session = found->session;
  Result<Milliseconds> allowed = co_await grace_of(engine, session);
  if (!allowed) co_return allowed.error();
  const Milliseconds grace = *allowed;
  const Result<void> marked = co_await directory.break_session(session, reason);
  if (!marked) co_return marked.error();
  std::vector<core::Ticket> tickets;
  for (const StandingTicket& one : *all) {
    if (one.session == session) tickets.push_back(one.ticket);
  }
  const Result<void> gone = co_await wait_until_gone(engine, tickets, grace);
  const bool in_time = gone || gone.error().errc != Errc::timeout;
  if (!gone && in_time) co_return gone.error();
  const Result<void> removed = co_await directory.remove_broken(session);
  if (!removed) co_return removed.error();
  co_return in_time ? Broken::let_go : Broken::forced;
}

awaitable<Result<std::vector<LeftOver>>> left_overs(EnginePtr engine) {
  Directory& directory = engine->backend().directory();
  co_return co_await directory.left_overs();
}

awaitable<Result<int>> clean(EnginePtr engine) {
  Directory& directory = engine->backend().directory();
  co_return co_await directory.clean();
}

awaitable<Result<std::optional<int>>> prepare(EnginePtr engine,
                                              std::vector<PartitionSpec> partitions,
                                              std::chrono::system_clock::time_point until) {
  std::vector<core::Resource> resources;
  for (const PartitionSpec& partition : partitions) {
    const LockSet members{{partition, LockMode::exclusive}};
    Result<Engine::Resolved> resolved = co_await engine->resolve(members);
    if (!resolved) co_return resolved.error();
    resources.push_back(resolved->set.places.front().resource);
  }
  Directory& directory = engine->backend().directory();
  co_return co_await directory.prepare(resources, until);
}

awaitable<Result<std::optional<TableColumns>>> table_columns(EnginePtr engine,
                                                             PartitionSpec table) {
  const Result<core::Resource> resource = checked_table(table);
  if (!resource) co_return resource.error();
  Directory& directory = engine->backend().directory();
  const core::Resource where = *resource;
  co_return co_await directory.columns(where);
}

awaitable<Result<std::vector<TableColumns>>> all_tables(EnginePtr engine) {
  Directory& directory = engine->backend().directory();
  co_return co_await directory.tables();
}

awaitable<Result<void>> register_table(EnginePtr engine, PartitionSpec table,
                                       std::vector<std::string> columns, bool replace) {
  const Result<core::Resource> resource = checked_table(table);
  if (!resource) co_return resource.error();
  Result<std::vector<std::string>> names = checked_columns(table, columns);
  if (!names) co_return names.error();
  GrantPtr grant;
  if (replace) {
    Result<GrantPtr> locked = co_await lock_table(engine, table);
    if (!locked) co_return locked.error();
    grant = *locked;
  }
  Directory& directory = engine->backend().directory();
  const core::Resource where = *resource;
  Result<std::optional<TableColumns>> present = co_await directory.columns(where);
  Result<void> written = present ? Result<void>() : Result<void>(present.error());
  if (present && !replace && present->has_value() && (*present)->columns != *names) {
    written =
        make_error(Errc::conflict, table.to_string() + " has the order " +
                                       joined((*present)->columns) + " already, set by " +
                                       (*present)->set_by + ": use --replace if that is wrong");
  }
  if (written) {
    TableColumns order;
    order.table = table;
    order.columns = *names;
    order.set_by = engine->options().self.user + "@" + engine->options().self.host;
    order.set_at = engine->clock()->wall_now();
    order.registered = true;
    const std::optional<TableColumns> expected = *present;
    written = co_await directory.set_columns(order, expected);
  }
  engine->forget_columns();
  if (grant != nullptr) {
    const Result<void> released = co_await engine->release(grant);
    if (!released && written) co_return released.error();
  }
  co_return written;
}

awaitable<Result<void>> unregister_table(EnginePtr engine, PartitionSpec table) {
  const Result<core::Resource> resource = checked_table(table);
  if (!resource) co_return resource.error();
  Result<GrantPtr> locked = co_await lock_table(engine, table);
  if (!locked) co_return locked.error();
  Directory& directory = engine->backend().directory();
  const core::Resource where = *resource;
  const Result<void> forgotten = co_await directory.forget_columns(where);
  engine->forget_columns();
  const GrantPtr grant = *locked;
  const Result<void> released = co_await engine->release(grant);
  if (!forgotten) co_return forgotten.error();
  co_return released;
}

awaitable<Result<void>> record(GrantPtr grant, std::string key, std::string value) {
  if (!grant->held()) {
    const std::optional<Error> why = grant->why_ended();
    co_return why.value_or(make_error(Errc::lost, "the lock was lost: nothing was recorded"));
  }
  const SessionPtr session = grant->lifeline()->session_ptr();
  // A borrowed grant stands on its parent's request.
  const std::string request_id = grant->tickets().front().request;
  co_return co_await session->write_if_held(request_id, key, value);
}

awaitable<Result<std::optional<std::string>>> recorded(EnginePtr engine, std::string key) {
  Directory& directory = engine->backend().directory();
  co_return co_await directory.read(key);
}

awaitable<Result<void>> forget_record(EnginePtr engine, std::string key) {
  Directory& directory = engine->backend().directory();
  co_return co_await directory.forget(key);
}

}  // namespace locker::runtime
