#include "runtime/lifeline.h"
#include "runtime/spawn.h"

#include <algorithm>
#include <utility>

namespace locker::runtime {

Lifeline::Lifeline(boost::asio::any_io_executor executor, std::shared_ptr<Clock> clock,
                   SessionPtr session)
    : executor_(std::move(executor)),
      clock_(std::move(clock)),
      session_(std::move(session)),
      tick_(clock_->make_event()),
      closed_(clock_->make_event()),
      let_go_(clock_->make_event()) {
  if (const auto timeout = session_->timeout()) lease_.emplace(*timeout, session_->opened_at());
  publish_lease();
}

void Lifeline::start() {
  session_->on_over(tick_);
  if (lease_.has_value()) next_beat_ = clock_->after(LeaseRule::beat_every(*session_->timeout()));
  spawn(executor_, run(shared_from_this()));
}

void Lifeline::begin_hold() {
  ++holders_;
  tick_->set();
}

void Lifeline::end_hold() {
  // Whoever lets go may be the first to see that the lease is over.
  lease_is_over();
  if (--holders_ == 0) let_go_->set();
}

void Lifeline::wrote(BootTime sent) {
  // What comes too late does not bring a lost belief back.
  if (!lease_.has_value() || lease_is_over()) return;
  lease_->confirmed(sent);
  publish_lease();
}

bool Lifeline::lease_is_over() {
  if (!lost_.has_value() && holders_ > 0 && valid_for() == Milliseconds::zero()) {
    lose(make_error(Errc::lost,
                    "the coordinator has not confirmed this session for so long that somebody else "
                    "may hold its locks now: stop writing"));
  }
  return lost_.has_value();
}

Milliseconds Lifeline::valid_for() const {
  const BootTime::rep until_ms = valid_until_ms_.load();
  if (lost_flag_.load()) return Milliseconds::zero();
  if (until_ms == std::numeric_limits<BootTime::rep>::max()) return Milliseconds::max();
  const Milliseconds left = BootTime(Milliseconds(until_ms)) - clock_->boot_now();
  return std::max(left, Milliseconds::zero());
}

void Lifeline::publish_lease() {
  if (!lease_.has_value()) return;
  const BootTime until = lease_->valid_until();
  const bool later = valid_until_ms_.exchange(until.time_since_epoch().count()) !=
                     until.time_since_epoch().count();
  if (!later) return;
  for (const auto& listener : renewals_) {
    if (const auto callback = listener.lock()) (*callback)(until);
  }
}

void Lifeline::on_renewed(const std::shared_ptr<const Renewed>& callback) {
  if (!lease_.has_value()) return;
  std::erase_if(renewals_, [](const auto& listener) { return listener.expired(); });
  renewals_.push_back(callback);
  (*callback)(lease_->valid_until());
}

void Lifeline::on_lost(const EventPtr& event) {
  std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
  listeners_.push_back(event);
  if (lost_.has_value()) event->set();
}

void Lifeline::lose(const Error& why) {
  if (lost_.has_value()) return;
  lost_ = why;
  lost_flag_.store(true);
  if (when_lost_) std::exchange(when_lost_, nullptr)(why);
  for (const auto& listener : std::exchange(listeners_, {})) {
    if (const EventPtr event = listener.lock()) event->set();
  }
  // After a long outage the session may still live at the coordinator, with the nodes of locks that
  // nobody believes in: closing it takes them away.
  spawn(executor_, finish(shared_from_this()));
}

void Lifeline::close(const Error& why) {
  closing_ = true;
  lose(why);
  let_go_->set();
}

awaitable<void> Lifeline::closed() {
  co_await closed_->wait();
  closed_->set();
}

awaitable<void> Lifeline::finish(std::shared_ptr<Lifeline> self) {
  // Whoever holds by a broken session may still be writing. Its places go when it has let go of
  // what it lost; whoever broke it takes them away if that takes too long.
  const bool broken = self->lost_->code == "broken";
  while (broken && self->holders_ > 0 && !self->closing_) co_await self->let_go_->wait();
  co_await self->session_->close();
  self->closed_->set();
  self->tick_->set();
}

awaitable<void> Lifeline::run(std::shared_ptr<Lifeline> self) {
  while (!self->lost_.has_value()) {
    if (const auto over = self->session_->over()) {
      self->lose(*over);
      break;
    }
    if (self->lease_.has_value()) {
      if (self->lease_is_over()) break;
      if (!self->beating_ && self->clock_->now() >= self->next_beat_.at) {
        self->beating_ = true;
        spawn(self->executor_, beat(self));
      }
      const Deadline lease_end =
          self->holders_ > 0 ? self->clock_->after(self->valid_for()) : Deadline{};
      self->lease_alarm_ = self->clock_->wake_at(lease_end, self->tick_);
      const Deadline next_beat = self->beating_ ? Deadline{} : self->next_beat_;
      self->beat_alarm_ = self->clock_->wake_at(next_beat, self->tick_);
    }
    co_await self->tick_->wait();
  }
}

awaitable<void> Lifeline::beat(std::shared_ptr<Lifeline> self) {
  const Milliseconds timeout = *self->session_->timeout();
  self->next_beat_ = self->clock_->after(LeaseRule::beat_every(timeout));
  const BootTime sent = self->clock_->boot_now();
  const bool writes = self->in_use();
  Result<void> answer;
  if (writes) {
    answer = co_await self->session_->beat();
  } else {
    answer = co_await self->session_->touch();
  }
  self->in_contact_.store(answer.has_value());
  if (answer.has_value()) {
    self->lease_->answered(sent, self->clock_->boot_now());
    if (writes) self->wrote(sent);
  } else {
    // Contact is looked for more often than it is confirmed.
    self->next_beat_ = self->clock_->after(LeaseRule::beat_every(timeout) / 4);
  }
  self->beating_ = false;
  self->tick_->set();
}

}  // namespace locker::runtime
