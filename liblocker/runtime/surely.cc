#include "runtime/surely.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/owner_proof.h"

namespace locker::runtime {
namespace {

// Whether the outcome of a verb is unknown, so that it has to be asked for again.
bool unknown(const Error& error) {
  return error.errc == Errc::unavailable && error.code == name_of(Errc::unavailable);
}

Error lost_with(const Lifeline& line) {
  return line.lost().value_or(make_error(Errc::lost, "the session is over"));
}

}  // namespace

Backoff::Backoff(ClockPtr clock, LifelinePtr line)
    : clock_(std::move(clock)), line_(std::move(line)), wake_(clock_->make_event()) {
  line_->on_lost(wake_);
}

awaitable<void> Backoff::pause() {
  const Deadline deadline = clock_->after(next_);
  const Alarm alarm = clock_->wake_at(deadline, wake_);
  next_ = std::min(next_ * 2, longest_pause);
  co_await wake_->wait();
}

awaitable<Result<Joined>> join_surely(ClockPtr clock, LifelinePtr line, RequestPtr request) {
  Backoff backoff(clock, line);
  while (!line->is_lost()) {
    const BootTime sent = clock->boot_now();
    Result<Joined> joined = co_await line->session().join(request);
    if (joined) {
      line->wrote(sent);
      co_return joined;
    }
    if (!unknown(joined.error())) co_return joined.error();
    // The request may stand, or come to stand yet: only `find` knows, and until it has said so a
    // second join could make the request stand twice.
    while (!line->is_lost()) {
      const BootTime asked = clock->boot_now();
      Result<std::optional<Joined>> found = co_await line->session().find(request);
      if (found) line->wrote(asked);
      if (found && found->has_value()) co_return **found;
      if (found) break;
      if (!unknown(found.error())) co_return found.error();
      co_await backoff.pause();
    }
  }
  co_return lost_with(*line);
}

awaitable<Result<std::vector<StandingTicket>>> standing_surely(ClockPtr clock, LifelinePtr line,
                                                               std::vector<core::Place> places) {
  Backoff backoff(clock, line);
  while (!line->is_lost()) {
    Result<std::vector<StandingTicket>> standing = co_await line->session().standing(places);
    if (standing || !unknown(standing.error())) co_return standing;
    co_await backoff.pause();
  }
  co_return lost_with(*line);
}

awaitable<Result<std::vector<core::Ticket>>> still_there_surely(ClockPtr clock, LifelinePtr line,
                                                                std::vector<core::Ticket> tickets) {
  Backoff backoff(clock, line);
  while (!line->is_lost()) {
    Result<std::vector<core::Ticket>> left = co_await line->session().still_there(tickets);
    if (left || !unknown(left.error())) co_return left;
    co_await backoff.pause();
  }
  co_return lost_with(*line);
}

awaitable<Result<std::vector<StandingTicket>>> tickets_of_surely(ClockPtr clock, LifelinePtr line,
                                                                 std::string owner_id,
                                                                 std::vector<core::Place> near) {
  Backoff backoff(clock, line);
  while (!line->is_lost()) {
    Result<std::vector<StandingTicket>> tickets =
        co_await line->session().tickets_of(owner_id, near);
    if (tickets || !unknown(tickets.error())) co_return tickets;
    co_await backoff.pause();
  }
  co_return lost_with(*line);
}

awaitable<Result<void>> beat_surely(ClockPtr clock, LifelinePtr line) {
  Backoff backoff(clock, line);
  while (!line->is_lost()) {
    const BootTime sent = clock->boot_now();
    const Result<void> confirmed = co_await line->session().beat();
    if (confirmed) line->wrote(sent);
    if (confirmed || !unknown(confirmed.error())) co_return confirmed;
    co_await backoff.pause();
  }
  co_return lost_with(*line);
}

awaitable<Result<void>> leave_surely(ClockPtr clock, LifelinePtr line, std::string request_id) {
  Backoff backoff(clock, line);
  while (!line->is_lost()) {
    const BootTime sent = clock->boot_now();
    Result<void> left = co_await line->session().leave(request_id);
    if (left) {
      line->wrote(sent);
      co_return left;
    }
    if (left.error().errc == Errc::lost) co_return left;
    co_await backoff.pause();
  }
  co_return lost_with(*line);
}

awaitable<Result<void>> lower_surely(ClockPtr clock, LifelinePtr line, std::string request_id) {
  Backoff backoff(clock, line);
  while (!line->is_lost()) {
    Result<void> lowered = co_await line->session().lower(request_id);
    if (lowered || lowered.error().errc == Errc::lost) co_return lowered;
    co_await backoff.pause();
  }
  co_return lost_with(*line);
}

awaitable<Result<void>> reown_surely(ClockPtr clock, LifelinePtr line, std::string request_id,
                                     Owner owner) {
  const std::string owner_id = owner.id();
  const std::string proof = owner_proof(owner);
  Backoff backoff(clock, line);
  while (!line->is_lost()) {
    Result<void> given = co_await line->session().reown(request_id, owner_id, proof);
    if (given || !unknown(given.error())) co_return given;
    co_await backoff.pause();
  }
  co_return lost_with(*line);
}

}  // namespace locker::runtime
