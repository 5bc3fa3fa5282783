#include "runtime/acquire.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "core/random_id.h"
#include "core/turn.h"
#include "runtime/borrow.h"
#include "runtime/deadlock.h"
#include "runtime/messages.h"
#include "runtime/owner_proof.h"
#include "runtime/queue_view.h"

namespace locker::runtime {
namespace {

using Standing = std::vector<StandingTicket>;
using Look = std::shared_ptr<const Standing>;

// How old the picture of a queue may be that a person looks at.
constexpr Milliseconds shown_every{5000};

// One go of an attempt, by one session.
struct Go {
  EnginePtr engine;
  AttemptPtr attempt;
  LifelinePtr line;
  RequestPtr request;
  bool escalated = false;
  Joined joined;
  Look look;  // what stood at the first look
};

std::vector<core::Ticket> tickets_in(const Standing& standing) {
  std::vector<core::Ticket> tickets;
  for (const StandingTicket& one : standing) tickets.push_back(one.ticket);
  return tickets;
}

// The tickets that a request would have if it were enqueued after everything that stands.
std::vector<core::Ticket> hypothetical(const Request& request) {
  std::vector<core::Ticket> tickets;
  for (const core::Place& place : request.places) {
    tickets.push_back({"hypothetical" + place.resource.path(), request.id, request.owner.owner,
                       place, std::numeric_limits<std::uint64_t>::max()});
  }
  return tickets;
}

// Those who stand and would be ahead of a newcomer.
Standing ahead_of_newcomer(const Request& request, const Standing& standing) {
  const std::vector<core::Ticket> mine = hypothetical(request);
  std::vector<core::Ticket> tickets = tickets_in(standing);
  tickets.insert(tickets.end(), mine.begin(), mine.end());
  Standing ahead;
  for (const core::Ticket& ticket : core::turn_of(mine, tickets).ahead) {
    ahead.push_back(*std::ranges::find(standing, ticket.node,
                                       [](const StandingTicket& one) { return one.ticket.node; }));
  }
  return ahead;
}

RequestPtr make_request(const Engine& engine, const Attempt& attempt, Engine::Resolved resolved) {
  auto request = std::make_shared<Request>();
  request->id = core::random_id();
  request->owner = engine.options().self;
  request->owner.owner = attempt.owner.id();
  request->owner.reason = attempt.reason;
  request->proof = owner_proof(attempt.owner);
  request->places = std::move(resolved.set.places);
  request->columns = std::move(resolved.columns);
  request->owner_holds = attempt.owner_holds || attempt.owner.inherited();
  request->since = engine.clock()->wall_now();
  return request;
}

// Why the wait ends now; nothing while it goes on.
std::optional<Error> wait_ended(const Engine& engine, const Attempt& attempt) {
  if (attempt.caller_left) return make_error(Errc::cancelled, "the wait was cancelled");
  const bool too_late =
      attempt.deadline.has_value() && engine.clock()->now() >= attempt.deadline->at;
  if (attempt.tries || too_late) {
    return timeout_error(attempt.members, attempt.timeout, attempt.seen);
  }
  return std::nullopt;
}

void see(const AttemptPtr& attempt, const std::vector<core::Ticket>& ahead, const Standing& known) {
  WaitStatus status = wait_status(ahead, known);
  attempt->has_looked = true;
  const bool news = attempt->seen.place != status.place;
  attempt->seen = std::move(status);
  if (news && !attempt->tries && attempt->on_waiting) attempt->on_waiting(attempt->seen);
}

// Gives up what the go has in the queue, then answers.
awaitable<void> leave_with(Go go, Error why) {
  const ClockPtr clock = go.engine->clock();
  const std::string id = go.request->id;
  const Result<void> left = co_await leave_surely(clock, go.line, id);
  // `lost` is as good: the tickets went with the session.
  static_cast<void>(left);
  go.attempt->finish(why);
}

// A wait behind the process that started this one never ends. An ancestor that waits itself, in
// another thread, will have its turn; one that holds waits for us.
Result<void> behind_ancestor(const Engine& engine, const Attempt& attempt) {
  const EngineOptions& options = engine.options();
  for (const Contender& holder : attempt.seen.holders) {
    if (options.is_ancestor && options.is_ancestor(holder.owner)) return ancestor_error(holder);
  }
  return {};
}

// A wait that can never end: behind the process that started this one, or in a cycle.
awaitable<Result<void>> check_hopeless(Go go, std::vector<core::Ticket> ahead_tickets) {
  Standing ahead;
  for (const StandingTicket& one : *go.look) {
    const bool in_the_way = std::ranges::any_of(
        ahead_tickets, [&](const core::Ticket& ticket) { return ticket.node == one.ticket.node; });
    if (in_the_way) ahead.push_back(one);
  }
  const Result<void> hopeful = behind_ancestor(*go.engine, *go.attempt);
  if (!hopeful) co_return hopeful;
  if (!go.request->owner_holds) co_return Result<void>();
  const ClockPtr clock = go.engine->clock();
  const std::vector<core::Ticket> mine = go.joined.tickets;
  Result<Standing> cycle = co_await find_cycle(clock, go.line, go.request, mine, ahead);
  if (!cycle) co_return cycle.error();
  if (!cycle->empty()) co_return deadlock_error(*cycle);
  co_return Result<void>();
}

// The turn has come: a grant, if the belief in the session is sound and the caller is still there.
awaitable<void> grant_turn(Go go) {
  if (!go.line->valid()) {
    // Nobody can say whether the session lives: begin again with another one.
    go.line->close(make_error(Errc::lost, "the session could not be confirmed in time"));
    co_return;
  }
  if (go.attempt->over()) {
    const Error nobody = make_error(Errc::cancelled, "the caller had left");
    co_await leave_with(go, nobody);
    co_return;
  }
  auto grant = std::make_shared<Grant>(go.request, go.joined, go.line, go.escalated);
  go.engine->add_grant(grant);
  go.attempt->finish(grant);
}

// Sleeps until those ahead may have changed. Ends early when the caller leaves or time is up.
awaitable<Result<void>> sleep(Go go, core::Ticket youngest_ahead) {
  const ClockPtr clock = go.engine->clock();
  const EventPtr wake = go.attempt->wake;
  Result<void> armed = co_await go.line->session().watch(youngest_ahead, wake);
  if (!armed && armed.error().errc != Errc::unavailable) co_return armed;
  // Without an event one looks again every session time-out, and soon where no watch could be set.
  Deadline at_the_latest;
  if (!armed) {
    at_the_latest = clock->after(Milliseconds(100));
  } else if (const auto timeout = go.line->session().timeout()) {
    at_the_latest = clock->after(*timeout);
  }
  // Who shows the wait to a person looks now and then: a watch on whoever holds would wake every
  // waiter of a long queue at every release.
  if (go.attempt->on_waiting) at_the_latest = std::min(at_the_latest, clock->after(shown_every));
  const Alarm alarm = clock->wake_at(at_the_latest, wake);
  co_await wake->wait();
  co_return Result<void>();
}

// Waits in the queue until the turn has come or the attempt ends. Answers an error that ends the
// go.
awaitable<Result<void>> wait_in_queue(Go go) {
  const ClockPtr clock = go.engine->clock();
  const std::vector<core::Ticket> mine = go.joined.tickets;
  core::Turn turn = core::turn_of(mine, tickets_in(*go.look));
  if (turn.kind == core::Turn::Kind::waits) {
    see(go.attempt, turn.ahead, *go.look);
    const Result<void> hopeful = co_await check_hopeless(go, turn.ahead);
    if (!hopeful) co_return hopeful;
  }
  while (turn.kind == core::Turn::Kind::waits) {
    see(go.attempt, turn.ahead, *go.look);
    if (go.line->is_lost()) co_return *go.line->lost();
    const std::optional<Error> ended = wait_ended(*go.engine, *go.attempt);
    if (ended.has_value()) co_return *ended;
    const core::Ticket youngest = turn.ahead.back();
    const Result<void> slept = co_await sleep(go, youngest);
    if (!slept) co_return slept;
    std::vector<core::Ticket> watched = turn.ahead;
    watched.insert(watched.end(), mine.begin(), mine.end());
    Result<std::vector<core::Ticket>> left = co_await still_there_surely(clock, go.line, watched);
    if (!left) co_return left.error();
    turn = core::turn_of(mine, *left);
  }
  if (turn.kind == core::Turn::Kind::absent) {
    // Somebody took our tickets away: the session was broken, and learns it now.
    const Error broken = make_error(Errc::lost, "the place in the queue was taken away");
    go.line->close(broken);
    co_return broken;
  }
  co_return Result<void>();
}

// What stands after the enqueueing, from its own round trip if the backend looked in it.
awaitable<Result<Look>> first_look(Go go) {
  if (go.look != nullptr) co_return go.look;
  const ClockPtr clock = go.engine->clock();
  const std::vector<core::Place> places = go.request->places;
  Result<Standing> look = co_await standing_surely(clock, go.line, places);
  if (!look) co_return look.error();
  co_return std::make_shared<const Standing>(*std::move(look));
}

// Whether the request waited behind a lock on the whole of one of its tables.
bool behind_table(const Go& go) {
  constexpr int table_depth = 2;
  if (go.request->columns.empty()) return false;
  const core::Turn turn = core::turn_of(go.joined.tickets, tickets_in(*go.look));
  return std::ranges::any_of(turn.ahead, [](const core::Ticket& ticket) {
    return ticket.place.resource.depth() <= table_depth;
  });
}

// Whether the request's tables still have the orders that its places were named by. Whoever held a
// whole table may have given it another one while the request waited.
awaitable<Result<bool>> orders_hold(Go go) {
  Directory& directory = go.engine->backend().directory();
  for (const TableColumns& relied : go.request->columns) {
    const core::Resource table(relied.table);
    Result<std::optional<TableColumns>> present = co_await directory.columns(table);
    if (!present) co_return present.error();
    if (!present->has_value() || (*present)->columns != relied.columns) co_return false;
  }
  co_return true;
}

// The turn has come, after a wait in which the names may have changed: then one begins again.
awaitable<void> grant_if_named_so(Go go) {
  const Result<bool> hold = co_await orders_hold(go);
  if (hold && *hold) {
    co_await grant_turn(go);
    co_return;
  }
  const ClockPtr clock = go.engine->clock();
  const std::string id = go.request->id;
  const Result<void> left = co_await leave_surely(clock, go.line, id);
  static_cast<void>(left);
  go.engine->forget_columns();
}

// Enqueues the request, looks and waits. Where the session is lost the attempt stays unanswered,
// for another go.
awaitable<void> go_on(Go go) {
  const ClockPtr clock = go.engine->clock();
  Result<Joined> joined = co_await join_surely(clock, go.line, go.request);
  if (!joined) {
    if (!go.line->is_lost()) go.attempt->finish(joined.error());
    co_return;
  }
  if (joined->columns_changed) {
    go.engine->forget_columns();
    co_return;
  }
  go.joined = *std::move(joined);
  if (auto look = std::exchange(go.joined.look, std::nullopt)) {
    go.look = std::make_shared<const Standing>(*std::move(look));
  }
  Result<Look> look = co_await first_look(go);
  Result<void> turn_came = look ? Result<void>() : Result<void>(look.error());
  if (look) {
    go.look = *std::move(look);
    turn_came = co_await wait_in_queue(go);
  }
  if (turn_came && behind_table(go)) {
    co_await grant_if_named_so(go);
  } else if (turn_came) {
    co_await grant_turn(go);
  } else if (!go.line->is_lost()) {
    const Error why = turn_came.error();
    co_await leave_with(go, why);
  }
}

awaitable<void> one_go(EnginePtr engine, AttemptPtr attempt, LifelinePtr line) {
  const LockSet members = attempt->members;
  Result<Engine::Resolved> resolved = co_await engine->resolve(members);
  if (!resolved) {
    attempt->finish(resolved.error());
    co_return;
  }
  const bool escalated = resolved->set.escalated;
  // A caller that was told something else meanwhile must not be counted.
  if (attempt->over()) co_return;
  if (const GrantPtr held = engine->covering_grant(attempt->owner, resolved->set.places)) {
    ++held->holds;
    attempt->finish(held);
    co_return;
  }
  const RequestPtr request = make_request(*engine, *attempt, *std::move(resolved));
  if (attempt->owner.inherited()) {
    Result<GrantPtr> parent = co_await borrow_grant(engine, line, request);
    const bool wanted = !attempt->over() && !line->is_lost();
    if (wanted && (!parent || *parent != nullptr)) {
      attempt->finish(parent);
      co_return;
    }
    if (parent && *parent != nullptr) {
      const GrantPtr unwanted = *parent;
      const Result<void> dropped = co_await engine->release(unwanted);
      static_cast<void>(dropped);
    }
    if (!wanted) co_return;
  }
  if (attempt->tries) {
    const ClockPtr clock = engine->clock();
    const std::vector<core::Place> places = request->places;
    Result<Standing> standing = co_await standing_surely(clock, line, places);
    if (!standing) {
      if (!line->is_lost()) attempt->finish(standing.error());
      co_return;
    }
    const Standing ahead = ahead_of_newcomer(*request, *standing);
    if (!ahead.empty()) {
      see(attempt, tickets_in(ahead), *standing);
      attempt->finish(timeout_error(attempt->members, attempt->timeout, attempt->seen));
      co_return;
    }
  }
  Go go{engine, attempt, line, request, escalated, {}, {}};
  co_await go_on(go);
}

}  // namespace

awaitable<void> acquire(EnginePtr engine, AttemptPtr attempt) {
  while (!attempt->over()) {
    const Deadline connect_by = engine->connect_deadline();
    Result<LifelinePtr> line = co_await engine->lifeline(connect_by);
    if (!line) {
      attempt->finish(line.error());
      co_return;
    }
    engine->begin_wait(attempt);
    const LifelinePtr lifeline = *line;
    lifeline->begin_wait();
    lifeline->on_lost(attempt->wake);
    co_await one_go(engine, attempt, lifeline);
    lifeline->end_wait();
    if (attempt->over()) co_return;
    // The session was lost, or a table got another column order: begin again, at the end of the
    // queue and within the old deadline. Whoever held something has lost it and must know.
    if (lifeline->is_lost() && attempt->owner_holds) attempt->finish(*lifeline->lost());
    if (attempt->tries) continue;
    const std::optional<Error> ended = wait_ended(*engine, *attempt);
    if (ended.has_value()) attempt->finish(*ended);
  }
}

awaitable<Result<std::vector<StandingTicket>>> look_ahead(EnginePtr engine, LockSet members,
                                                          Owner owner) {
  const Deadline connect_by = engine->connect_deadline();
  Result<LifelinePtr> line = co_await engine->lifeline(connect_by);
  if (!line) co_return line.error();
  Result<Engine::Resolved> resolved = co_await engine->resolve(members);
  if (!resolved) co_return resolved.error();
  Request request;
  request.owner.owner = owner.id();
  request.places = resolved->set.places;
  const ClockPtr clock = engine->clock();
  const LifelinePtr lifeline = *line;
  const std::vector<core::Place> places = request.places;
  Result<Standing> standing = co_await standing_surely(clock, lifeline, places);
  if (!standing) co_return standing.error();
  co_return ahead_of_newcomer(request, *standing);
}

awaitable<Result<void>> wait_until_free(EnginePtr engine, AttemptPtr attempt) {
  engine->begin_wait(attempt);
  while (true) {
    const LockSet members = attempt->members;
    const Owner owner = attempt->owner;
    Result<Standing> ahead = co_await look_ahead(engine, members, owner);
    if (!ahead && ahead.error().errc != Errc::lost) co_return ahead.error();
    if (ahead && ahead->empty()) co_return Result<void>();
    if (ahead) see(attempt, tickets_in(*ahead), *ahead);
    const Result<void> hopeful = behind_ancestor(*engine, *attempt);
    if (!hopeful) co_return hopeful;
    const std::optional<Error> ended = wait_ended(*engine, *attempt);
    if (ended.has_value()) co_return *ended;
    if (!ahead) continue;
    const Deadline connect_by = engine->connect_deadline();
    Result<LifelinePtr> line = co_await engine->lifeline(connect_by);
    if (!line) co_return line.error();
    const LifelinePtr lifeline = *line;
    lifeline->on_lost(attempt->wake);
    Go go{engine, attempt, lifeline, nullptr, false, {}, {}};
    const core::Ticket youngest = ahead->back().ticket;
    const Result<void> slept = co_await sleep(go, youngest);
    if (!slept && slept.error().errc != Errc::lost) co_return slept;
  }
}

}  // namespace locker::runtime
