#include "runtime/lifeline.h"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace locker::runtime {

Lifeline::Lifeline(boost::asio::any_io_executor executor, std::shared_ptr<Clock> clock,
                   SessionPtr session)
    : executor_(std::move(executor)),
      clock_(std::move(clock)),
      session_(std::move(session)),
      tick_(clock_->make_event()),
      closed_(clock_->make_event()) {
  if (const auto timeout = session_->timeout()) lease_.emplace(*timeout, session_->opened_at());
  publish_lease();
}

void Lifeline::start() {
  session_->on_over(tick_);
  if (lease_.has_value()) next_beat_ = clock_->after(LeaseRule::beat_every(*session_->timeout()));
  boost::asio::co_spawn(executor_, run(shared_from_this()), boost::asio::detached);
}

void Lifeline::enter() {
  // The first user needs a heartbeat soon: an idle session has only been reading.
  if (users_++ == 0 && lease_.has_value()) {
    next_beat_ = Deadline{clock_->now()};
    tick_->set();
  }
}

void Lifeline::wrote(BootTime sent) {
  if (!lease_.has_value()) return;
  lease_->confirmed(sent);
  publish_lease();
}

Milliseconds Lifeline::valid_for() const {
  const BootTime::rep until_ms = valid_until_ms_.load();
  if (lost_flag_.load()) return Milliseconds::zero();
  if (until_ms == std::numeric_limits<BootTime::rep>::max()) return Milliseconds::max();
  const Milliseconds left = BootTime(Milliseconds(until_ms)) - clock_->boot_now();
  return std::max(left, Milliseconds::zero());
}

void Lifeline::publish_lease() {
  if (lease_.has_value()) {
    valid_until_ms_.store(lease_->valid_until().time_since_epoch().count());
  }
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
  boost::asio::co_spawn(executor_, finish(shared_from_this()), boost::asio::detached);
}

void Lifeline::close(const Error& why) {
  lose(why);
}

awaitable<void> Lifeline::closed() {
  co_await closed_->wait();
  closed_->set();
}

awaitable<void> Lifeline::finish(std::shared_ptr<Lifeline> self) {
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
      const Milliseconds left = self->valid_for();
      if (self->users_ > 0 && left == Milliseconds::zero()) {
        self->lose(make_error(Errc::lost,
                              "the coordinator has not confirmed this session for so long that "
                              "somebody else may hold its locks now: stop writing"));
        break;
      }
      if (!self->beating_ && self->clock_->now() >= self->next_beat_.at) {
        self->beating_ = true;
        boost::asio::co_spawn(self->executor_, beat(self), boost::asio::detached);
      }
      // Without users nobody believes in the lease, so its end is nothing to wake up for.
      const Deadline lease_end = self->users_ > 0 ? self->clock_->after(left) : Deadline{};
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
  const bool writes = self->users_ > 0;
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
