#include "runtime/borrow.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/turn.h"
#include "runtime/spawn.h"

namespace locker::runtime {
namespace {

// Ends the borrowed grant when the tickets that it stands on go or are lowered.
awaitable<void> follow(EnginePtr engine, GrantPtr grant) {
  const ClockPtr clock = engine->clock();
  const LifelinePtr line = grant->lifeline();
  const EventPtr changed = clock->make_event();
  line->on_lost(changed);
  const std::vector<core::Ticket> tickets = grant->tickets();
  const Error gone =
      make_error(Errc::lost, "the process that started this one no longer holds the lock");
  Backoff backoff(clock, line);
  while (grant->held()) {
    bool armed = true;
    for (const core::Ticket& ticket : tickets) {
      const Result<void> watched = co_await line->session().watch(ticket, changed);
      armed = armed && watched.has_value();
    }
    Result<std::vector<core::Ticket>> left = co_await still_there_surely(clock, line, tickets);
    if (!left) co_return;  // our session is over, and the grant with it
    const bool whole = std::ranges::all_of(tickets, [&](const core::Ticket& ticket) {
      return std::ranges::any_of(*left, [&](const core::Ticket& other) {
        return other.node == ticket.node && other.place == ticket.place;
      });
    });
    if (!whole) {
      grant->end(LockState::lost, gone);
      engine->forget_grant(grant);
      co_return;
    }
    if (armed) {
      co_await changed->wait();
    } else {
      co_await backoff.pause();
    }
  }
}

bool covers(const std::vector<StandingTicket>& tickets, const std::vector<core::Place>& wanted) {
  return std::ranges::all_of(wanted, [&](const core::Place& want) {
    return std::ranges::any_of(tickets, [&](const StandingTicket& have) {
      return have.ticket.place.resource.covers(want.resource) &&
             at_least(have.ticket.place.mode, want.mode);
    });
  });
}

// The tickets of those requests of one owner that are granted, by what stands around them.
std::vector<StandingTicket> granted_among(const std::vector<StandingTicket>& theirs,
                                          const std::vector<StandingTicket>& around) {
  std::map<std::string, std::vector<core::Ticket>> by_request;
  for (const StandingTicket& one : theirs) by_request[one.ticket.request].push_back(one.ticket);
  std::vector<core::Ticket> standing;
  for (const StandingTicket& one : around) standing.push_back(one.ticket);
  std::vector<StandingTicket> granted;
  for (const StandingTicket& one : theirs) {
    const core::Turn turn = core::turn_of(by_request[one.ticket.request], standing);
    if (turn.kind == core::Turn::Kind::granted) granted.push_back(one);
  }
  return granted;
}

}  // namespace

awaitable<Result<GrantPtr>> borrow_grant(EnginePtr engine, LifelinePtr line, RequestPtr request) {
  const ClockPtr clock = engine->clock();
  const std::string owner_id = request->owner.owner;
  const std::vector<core::Place> wanted = request->places;
  Result<std::vector<StandingTicket>> theirs =
      co_await tickets_of_surely(clock, line, owner_id, wanted);
  if (!theirs) co_return theirs.error();
  const bool strangers = std::ranges::any_of(
      *theirs, [&](const StandingTicket& one) { return one.proof != request->proof; });
  if (strangers) {
    co_return make_error(
        Errc::unauthorized,
        "LOCKER_OWNER does not carry this owner's secret: it was changed on the way");
  }
  const EngineOptions& options = engine->options();
  std::erase_if(*theirs, [&](const StandingTicket& one) {
    return options.is_ancestor && one.owner.host == options.self.host &&
           !options.is_ancestor(one.owner);
  });
  if (!covers(*theirs, request->places)) co_return GrantPtr();
  std::vector<core::Place> places;
  for (const StandingTicket& one : *theirs) places.push_back(one.ticket.place);
  Result<std::vector<StandingTicket>> around = co_await standing_surely(clock, line, places);
  if (!around) co_return around.error();
  const std::vector<StandingTicket> granted = granted_among(*theirs, *around);
  if (!covers(granted, request->places)) co_return GrantPtr();
  Joined joined;
  for (const StandingTicket& one : granted) {
    joined.tickets.push_back(one.ticket);
    joined.tokens.push_back(one.token);
  }
  // An idle session has only been reading, and nothing was written for this grant.
  if (!line->valid()) {
    const Result<void> confirmed = co_await beat_surely(clock, line);
    if (!confirmed) co_return confirmed.error();
  }
  if (!line->valid()) {
    // As for a grant of our own: whoever can't vouch for its session begins again with another one.
    const Error unsure = make_error(Errc::lost, "the session could not be confirmed in time");
    line->close(unsure);
    co_return unsure;
  }
  auto grant = std::make_shared<Grant>(request, std::move(joined), line, false);
  grant->borrow();
  engine->add_grant(grant);
  spawn(engine->executor(), follow(engine, grant));
  co_return grant;
}

}  // namespace locker::runtime
