#include "session.h"

#include <algorithm>
#include <utility>

namespace locker::simulation {

using runtime::EventPtr;
using runtime::Joined;
using runtime::RequestPtr;
using runtime::StandingTicket;

namespace {

Error unknown_outcome() {
  return make_error(Errc::unavailable, "the connection broke; the outcome is unknown");
}

}  // namespace

World::World(std::uint64_t seed)
    : random(seed), faults(Faults::draw(random)), coordinator(schedule, random, faults, count) {
  coordinator.on_applied = [this](int replica) {
    for (const auto& session : sessions) {
      if (session != nullptr) session->replica_applied(replica);
    }
  };
  coordinator.on_death = [this](int replica) {
    for (const auto& session : sessions) {
      if (session != nullptr) session->replica_died(replica);
    }
  };
}

ModelSession::ModelSession(World& world, std::shared_ptr<Machine> machine, int id,
                           runtime::BootTime opened, int replica, Position seen)
    : world_(&world),
      machine_(std::move(machine)),
      id_(id),
      opened_(opened),
      link_(std::make_shared<Link>()),
      seen_(seen) {
  link_->replica = replica;
  if (!world_->coordinator.replica(replica).up) break_link(0);
}

// --- the verbs ---

CallPtr ModelSession::make(Verb verb) {
  auto call = std::make_shared<Call>();
  call->verb = verb;
  call->session = id_;
  call->done = machine_->make_event();
  return call;
}

awaitable<void> ModelSession::answered(CallPtr call) {
  send(call);
  const EventPtr done = call->done;
  co_await done->wait();
}

awaitable<Result<Joined>> ModelSession::join(RequestPtr request) {
  const CallPtr call = make(Verb::join);
  call->request = request;
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return *call->joined;
}

awaitable<Result<std::optional<Joined>>> ModelSession::find(RequestPtr request) {
  const CallPtr call = make(Verb::find);
  call->request = request;
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return call->joined;
}

awaitable<Result<std::vector<StandingTicket>>> ModelSession::standing(
    std::vector<core::Place> places) {
  const CallPtr call = make(Verb::standing);
  call->places = std::move(places);
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return call->found;
}

awaitable<Result<std::vector<core::Ticket>>> ModelSession::still_there(
    std::vector<core::Ticket> tickets) {
  const CallPtr call = make(Verb::still_there);
  call->tickets = std::move(tickets);
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return call->left;
}

awaitable<Result<void>> ModelSession::watch(core::Ticket ticket, EventPtr changed) {
  const CallPtr call = make(Verb::watch);
  call->tickets.push_back(std::move(ticket));
  call->changed = changed;
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return Result<void>();
}

awaitable<Result<void>> ModelSession::leave(std::string request_id) {
  const CallPtr call = make(Verb::leave);
  call->text = std::move(request_id);
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return Result<void>();
}

// Lowering's twin: a write that changes no queue, so that it needs no model of its own.
awaitable<Result<void>> ModelSession::reown(std::string request_id, std::string owner_id,
                                            std::string proof) {
  static_cast<void>(request_id);
  static_cast<void>(owner_id);
  static_cast<void>(proof);
  co_return make_error(Errc::unsupported, "the model gives no lock to another owner");
}

awaitable<Result<void>> ModelSession::lower(std::string request_id) {
  const CallPtr call = make(Verb::lower);
  call->text = std::move(request_id);
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return Result<void>();
}

awaitable<Result<std::vector<StandingTicket>>> ModelSession::tickets_of(
    std::string owner_id, std::vector<core::Place> near) {
  static_cast<void>(near);
  const CallPtr call = make(Verb::tickets_of);
  call->text = std::move(owner_id);
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return call->found;
}

awaitable<Result<void>> ModelSession::write_if_held(std::string request_id, std::string key,
                                                    std::string value) {
  static_cast<void>(key);
  static_cast<void>(value);
  const CallPtr call = make(Verb::write_if_held);
  call->text = std::move(request_id);
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return Result<void>();
}

awaitable<Result<void>> ModelSession::beat() {
  const CallPtr call = make(Verb::beat);
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return Result<void>();
}

awaitable<Result<void>> ModelSession::touch() {
  const CallPtr call = make(Verb::touch);
  co_await answered(call);
  if (call->error.has_value()) co_return *call->error;
  co_return Result<void>();
}

awaitable<void> ModelSession::close() {
  // What can't be said now dies with the session, which nobody keeps alive from here on.
  if (lives() && linked_) {
    const CallPtr call = make(Verb::close);
    co_await answered(call);
  }
  const Error closed = make_error(Errc::lost, "the session was closed");
  end(closed);
}

std::optional<runtime::Milliseconds> ModelSession::timeout() const {
  return runtime::Milliseconds(world_->faults.timeout / millisecond);
}

void ModelSession::on_over(const EventPtr& event) {
  over_events_.push_back(event);
  if (over_.has_value()) event->set();
}

// --- the way there and back ---

void ModelSession::send(const CallPtr& call) {
  if (over_.has_value()) {
    call->error = over_;
    machine_->deliver(world_->schedule.now(), [this, call] { finish(call); });
  } else if (linked_) {
    transmit(call);
  } else if (world_->random.chance(0.3)) {
    call->error = unknown_outcome();
    const Time told = world_->schedule.now() + world_->faults.message(world_->random);
    machine_->deliver(told, [this, call] { finish(call); });
  } else {
    waiting_.push_back(call);
  }
}

void ModelSession::transmit(const CallPtr& call) {
  Random& random = world_->random;
  const Faults& faults = world_->faults;
  const Time now = world_->schedule.now();
  call->link = link_->number;
  sent_.push_back(call);
  call->lost_before = random.chance(faults.lost_before);
  call->lost_after = !call->lost_before && random.chance(faults.lost_after);
  const bool breaks = random.chance(faults.broken_link);
  const bool arrives =
      now >= machine_->cut_until() && !link_->broken && !(breaks && random.chance(0.5));
  if (arrives) {
    link_->up = std::max(link_->up + 1, now + faults.message(random));
    world_->schedule.at(link_->up, [this, link = link_, call] { arrive(link, call); });
  }
  if (breaks) break_link(random.between(0, faults.timeout / 2));
}

void ModelSession::arrive(const LinkPtr& link, const CallPtr& call) {
  if (!world_->coordinator.replica(link->replica).up) return;
  world_->coordinator.hear(link->replica, id_);
  link->arrived.push_back(call);
  if (link->arrived.size() == 1) process(link);
}

void ModelSession::process(const LinkPtr& link) {
  Coordinator& coordinator = world_->coordinator;
  while (!link->arrived.empty() && coordinator.replica(link->replica).up) {
    const CallPtr call = link->arrived.front();
    if (call->lost_before) {
      ++world_->count.lost_before;
      call->error = unknown_outcome();
    } else if (writes(call->verb)) {
      coordinator.to_leader(link->replica, [this, link, call] {
        world_->coordinator.execute(*call);
        executed(link, call);
      });
      return;
    } else {
      coordinator.read(*call, coordinator.replica(link->replica).applied);
    }
    link->arrived.pop_front();
    reply(link, call);
  }
}

void ModelSession::executed(const LinkPtr& link, const CallPtr& call) {
  // The replica answers when it has applied the step itself.
  const Time answer = world_->schedule.now() + world_->random.between(0, world_->faults.latency);
  const Time applied = world_->coordinator.replica(link->replica).log_channel;
  world_->schedule.at(std::max(answer, applied), [this, link, call] {
    const Coordinator::Replica& replica = world_->coordinator.replica(link->replica);
    if (!replica.up || link->arrived.empty() || link->arrived.front() != call) return;
    link->arrived.pop_front();
    reply(link, call);
    if (world_->random.chance(world_->faults.dies_after_write)) lose_rack(*link);
    process(link);
  });
}

// A replica dies, having answered; the client that shares its switch is cut off with it.
void ModelSession::lose_rack(const Link& link) {
  Random& random = world_->random;
  const Time timeout = world_->faults.timeout;
  if (random.chance(0.5)) {
    ++world_->count.cuts;
    machine_->cut(world_->schedule.now() + random.between(0, 2 * timeout));
    for (const auto& session : world_->sessions) {
      if (session == nullptr || session->machine_ != machine_) continue;
      session->break_link(random.between(0, 2 * timeout / 3));
    }
  }
  world_->coordinator.kill(link.replica, random.between(0, timeout));
}

void ModelSession::reply(const LinkPtr& link, const CallPtr& call) {
  const Time now = world_->schedule.now();
  if (link->broken || now < machine_->cut_until()) return;
  if (call->lost_after) {
    ++world_->count.lost_after;
    call->error = unknown_outcome();
  }
  const Position seen = world_->coordinator.replica(link->replica).applied;
  link->down = std::max(link->down + 1, now + world_->faults.message(world_->random));
  machine_->deliver(link->down, [this, link, call, seen] {
    if (link->deaf || std::erase(sent_, call) == 0) return;
    seen_ = std::max(seen_, seen);
    finish(call);
    if (call->error.has_value() && call->error->errc == Errc::lost) end(*call->error);
  });
}

void ModelSession::finish(const CallPtr& call) {
  if (call->answered) return;
  call->answered = true;
  if (call->verb == Verb::watch && !call->error.has_value()) {
    watches_.push_back({call->tickets.front(), call->changed});
    look_at_watches();
  }
  call->done->set();
}

void ModelSession::fail(std::deque<CallPtr>& calls, const Error& why) {
  for (const CallPtr& call : std::exchange(calls, {})) {
    call->error = why;
    finish(call);
  }
}

// --- the connection ---

void ModelSession::break_link(Time noticed_after) {
  if (link_->broken || !lives()) return;
  ++world_->count.broken_links;
  link_->broken = true;
  link_->deaf = world_->random.chance(0.5);
  machine_->deliver(world_->schedule.now() + noticed_after,
                    [this, link = link_] { link_noticed_broken(link); });
}

void ModelSession::link_noticed_broken(const LinkPtr& link) {
  if (link != link_ || !linked_ || !lives()) return;
  linked_ = false;
  fail(sent_, unknown_outcome());
  attach_after(world_->random.between(0, 10 * world_->faults.latency));
}

void ModelSession::attach_after(Time wait) {
  const Time at = std::max(world_->schedule.now(), machine_->cut_until()) + wait;
  machine_->deliver(at, [this] { attach(); });
}

void ModelSession::attach() {
  if (!lives() || linked_) return;
  Random& random = world_->random;
  auto link = std::make_shared<Link>();
  link->number = ++links_;
  link->replica = static_cast<int>(random.below(Coordinator::replica_count));
  const Coordinator::Replica& replica = world_->coordinator.replica(link->replica);
  const Time now = world_->schedule.now();
  if (now < machine_->cut_until() || !replica.up || replica.applied < seen_) {
    attach_after(random.between(5, 50) * millisecond);
    return;
  }
  const CallPtr call = make(Verb::attach);
  call->link = link->number;
  link->up = now + world_->faults.message(random);
  world_->schedule.at(link->up, [this, link, call] {
    world_->coordinator.to_leader(link->replica, [this, link, call] {
      world_->coordinator.execute(*call);
      const Time answer = world_->schedule.now() + world_->faults.message(world_->random);
      machine_->deliver(answer, [this, link, call] { attached(link, call); });
    });
  });
  // A try that hangs is given up for another.
  const Time patience = random.between(world_->faults.timeout / 8, world_->faults.timeout / 3);
  machine_->deliver(now + patience, [this, number = link->number] {
    if (number == links_) attach();
  });
}

void ModelSession::attached(const LinkPtr& link, const CallPtr& call) {
  if (linked_ || !lives() || link->number != links_) return;
  if (world_->schedule.now() < machine_->cut_until()) return;
  if (call->error.has_value()) {
    if (call->error->errc == Errc::lost) end(*call->error);
    return;
  }
  link_ = link;
  linked_ = true;
  if (!world_->coordinator.replica(link->replica).up) break_link(0);
  look_at_watches();
  for (const CallPtr& waiting : std::exchange(waiting_, {})) send(waiting);
}

void ModelSession::replica_died(int replica) {
  if (link_->replica == replica) {
    break_link(world_->random.between(0, world_->faults.timeout / 4));
  }
}

void ModelSession::end(const Error& why) {
  if (over_.has_value()) return;
  over_ = why;
  fail(sent_, why);
  fail(waiting_, why);
  for (const EventPtr& event : over_events_) event->set();
}

// --- watches ---

void ModelSession::replica_applied(int replica) {
  if (!linked_ || link_->broken || link_->replica != replica || !lives()) return;
  look_at_watches();
  const Coordinator& coordinator = world_->coordinator;
  if (coordinator.session(id_).ended <= coordinator.replica(replica).applied) break_link(0);
}

void ModelSession::look_at_watches() {
  const Coordinator& coordinator = world_->coordinator;
  const Position applied = coordinator.replica(link_->replica).applied;
  std::erase_if(watches_, [&](const Watch& watch) {
    const TicketLife* life = coordinator.find_life(watch.ticket.node);
    const bool same = life != nullptr && life->stands_at(applied) &&
                      life->seen_at(applied).place.mode == watch.ticket.place.mode;
    if (!same) fire(watch.changed);
    return !same;
  });
}

void ModelSession::fire(const EventPtr& changed) {
  Random& random = world_->random;
  Time at = world_->schedule.now() + world_->faults.message(random);
  if (random.chance(world_->faults.late_watch)) {
    ++world_->count.late_watches;
    at += random.between(0, world_->faults.timeout);
  }
  machine_->deliver(at, [changed] { changed->set(); });
  if (random.chance(world_->faults.odd_watch)) {
    ++world_->count.odd_watches;
    machine_->deliver(at + random.between(0, 100 * millisecond), [changed] { changed->set(); });
  }
}

void ModelSession::fire_odd_watch() {
  if (watches_.empty() || !lives()) return;
  ++world_->count.odd_watches;
  const EventPtr changed = world_->random.pick(watches_).changed;
  machine_->deliver(world_->schedule.now(), [changed] { changed->set(); });
}

}  // namespace locker::simulation
