#include "backend.h"

#include <algorithm>
#include <utility>

namespace locker::simulation {

using runtime::BootTime;
using runtime::Deadline;
using runtime::EventPtr;
using runtime::Milliseconds;
using runtime::SessionPtr;
using runtime::StandingTicket;

namespace {

Error not_modelled() {
  return make_error(Errc::unsupported, "the model has no such thing");
}

}  // namespace

awaitable<void> ModelBackend::pause(Milliseconds length) {
  const EventPtr event = machine_->make_event();
  const Deadline deadline = machine_->after(length);
  const runtime::Alarm alarm = machine_->wake_at(deadline, event);
  co_await event->wait();
}

awaitable<Result<SessionPtr>> ModelBackend::open_session(Deadline deadline) {
  Random& random = world_->random;
  const Milliseconds patience(world_->faults.timeout / millisecond / 3);
  while (true) {
    auto call = std::make_shared<Call>();
    call->verb = Verb::open;
    call->done = machine_->make_event();
    const BootTime asked = machine_->boot_now();
    const auto replica = static_cast<int>(random.below(Coordinator::replica_count));
    ask(call, replica);
    const Deadline given_up = std::min(deadline, machine_->after(patience));
    const runtime::Alarm alarm = machine_->wake_at(given_up, call->done);
    const EventPtr done = call->done;
    co_await done->wait();
    if (call->answered) {
      const auto number = static_cast<std::size_t>(call->session);
      if (world_->sessions.size() <= number) world_->sessions.resize(number + 1);
      auto session = std::make_shared<ModelSession>(*world_, machine_, call->session, asked,
                                                    replica, call->executed);
      world_->sessions[number] = session;
      co_return session;
    }
    if (machine_->now() >= deadline.at) {
      co_return make_error(Errc::unavailable, "no replica answered");
    }
    const Milliseconds wait(random.between(5, 200));
    co_await pause(wait);
  }
}

void ModelBackend::ask(const CallPtr& call, int replica) {
  Schedule& schedule = world_->schedule;
  const bool lost =
      schedule.now() < machine_->cut_until() || world_->random.chance(world_->faults.lost_before);
  if (lost) return;
  schedule.at(schedule.now() + world_->faults.message(world_->random), [this, call, replica] {
    if (!world_->coordinator.replica(replica).up) return;
    world_->coordinator.to_leader(replica, [this, call, replica] {
      world_->coordinator.execute(*call);
      const Time back = world_->schedule.now() + world_->faults.message(world_->random);
      const Time applied = world_->coordinator.replica(replica).log_channel;
      machine_->deliver(std::max(back, applied), [this, call] {
        if (world_->schedule.now() < machine_->cut_until()) return;
        call->answered = true;
        call->done->set();
      });
    });
  });
}

awaitable<Result<void>> ModelBackend::round_trip() {
  Random& random = world_->random;
  const Time there_and_back = world_->faults.message(random) + world_->faults.message(random);
  const EventPtr event = machine_->make_event();
  machine_->deliver(world_->schedule.now() + there_and_back, [event] { event->set(); });
  co_await event->wait();
  const bool lost =
      world_->schedule.now() < machine_->cut_until() || random.chance(world_->faults.lost_after);
  if (lost) co_return make_error(Errc::unavailable, "the coordinator did not answer");
  co_return Result<void>();
}

awaitable<Result<std::vector<StandingTicket>>> ModelBackend::list(core::Resource prefix) {
  Result<void> arrived = co_await round_trip();
  if (!arrived) co_return arrived.error();
  std::vector<StandingTicket> standing;
  const Coordinator& coordinator = world_->coordinator;
  for (const TicketLife& life : coordinator.lives()) {
    if (!life.stands_at(coordinator.position())) continue;
    if (!prefix.empty() && !prefix.covers(life.ticket.place.resource)) continue;
    standing.push_back(coordinator.standing(life, coordinator.position()));
  }
  co_return standing;
}

awaitable<Result<std::optional<TableColumns>>> ModelBackend::columns(core::Resource table) {
  Result<void> arrived = co_await round_trip();
  if (!arrived) co_return arrived.error();
  const Coordinator& coordinator = world_->coordinator;
  const auto any = static_cast<int>(world_->random.below(Coordinator::replica_count));
  co_return coordinator.columns_at(table, coordinator.replica(any).applied);
}

awaitable<Result<void>> ModelBackend::set_columns(TableColumns columns,
                                                  std::optional<TableColumns> expected) {
  static_cast<void>(expected);
  Result<void> arrived = co_await round_trip();
  if (!arrived) co_return arrived.error();
  co_return world_->coordinator.set_columns(columns);
}

awaitable<Result<std::vector<SessionInfo>>> ModelBackend::sessions() {
  co_return not_modelled();
}

awaitable<Result<void>> ModelBackend::break_session(std::string session_id, std::string reason) {
  static_cast<void>(session_id);
  static_cast<void>(reason);
  co_return not_modelled();
}

awaitable<Result<void>> ModelBackend::remove_broken(std::string session_id) {
  static_cast<void>(session_id);
  co_return not_modelled();
}

awaitable<Result<int>> ModelBackend::clean() {
  co_return not_modelled();
}

awaitable<Result<std::vector<TableColumns>>> ModelBackend::tables() {
  co_return not_modelled();
}

awaitable<Result<void>> ModelBackend::forget_columns(core::Resource table) {
  static_cast<void>(table);
  co_return not_modelled();
}

awaitable<Result<std::optional<std::string>>> ModelBackend::read(std::string key) {
  static_cast<void>(key);
  co_return not_modelled();
}

awaitable<Result<void>> ModelBackend::forget(std::string key) {
  static_cast<void>(key);
  co_return not_modelled();
}

}  // namespace locker::simulation
