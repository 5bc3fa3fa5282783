#include "coordinator.h"

#include <algorithm>
#include <utility>

namespace locker::simulation {

using core::Ticket;
using runtime::Joined;
using runtime::StandingTicket;

Ticket TicketLife::seen_at(Position position) const {
  Ticket seen = ticket;
  if (lowered <= position) seen.place.mode = LockMode::shared;
  return seen;
}

bool writes(Verb verb) {
  switch (verb) {
    case Verb::open:
    case Verb::attach:
    case Verb::close:
    case Verb::join:
    case Verb::find:
    case Verb::leave:
    case Verb::lower:
    case Verb::write_if_held:
    case Verb::beat:
      return true;
    case Verb::standing:
    case Verb::still_there:
    case Verb::watch:
    case Verb::tickets_of:
    case Verb::touch:
      return false;
  }
  return false;
}

Coordinator::Coordinator(Schedule& schedule, Random& random, Faults& faults, FaultCount& count)
    : schedule_(&schedule),
      random_(&random),
      faults_(&faults),
      count_(&count),
      replicas_(replica_count) {
  for (int index = 0; index < replica_count; ++index) {
    schedule_->at(random_->between(0, faults_->ping_gap), [this, index] { report(index); });
  }
}

// --- the leader ---

void Coordinator::commit() {
  ++position_;
  if (on_step) on_step();
  for (int index = 0; index < replica_count; ++index) {
    Replica& follower = at(index);
    Time delay = random_->between(0, 2 * faults_->latency);
    if (random_->chance(faults_->slow_apply)) delay = random_->between(0, faults_->timeout / 4);
    follower.log_channel = std::max(follower.log_channel + 1, schedule_->now() + delay);
    schedule_->at(follower.log_channel, [this, index, position = position_] {
      at(index).applied = position;
      if (on_applied) on_applied(index);
    });
  }
}

std::optional<Error> Coordinator::refusal(const Call& call) const {
  const SessionTruth& session = sessions_[static_cast<std::size_t>(call.session)];
  if (!session.alive) return make_error(Errc::lost, "the session has expired");
  if (session.broken) return make_error(Errc::lost, "the session was broken");
  return std::nullopt;
}

void Coordinator::execute(Call& call) {
  if (call.verb == Verb::open) {
    call.session = session_count();
    sessions_.push_back({.alive = true, .broken = false, .link = 0, .heard = schedule_->now()});
    commit();
    watch_over(call.session);
  } else {
    SessionTruth& session = truth(call.session);
    if (call.verb == Verb::attach && session.alive && call.link > session.link) {
      session.link = call.link;
      session.heard = schedule_->now();
    }
    // What an older connection left behind comes too late for good.
    if (call.link < session.link) {
      call.error = make_error(Errc::unavailable, "the session has moved");
      return;
    }
    call.error = refusal(call);
    if (!call.error.has_value()) {
      if (call.verb == Verb::join) join(call);
      if (call.verb == Verb::find) find(call);
      if (call.verb == Verb::leave) leave(call.text);
      if (call.verb == Verb::close) end(call.session);
      if (call.verb == Verb::lower) {
        for (TicketLife& life : lives_) {
          const bool stands = life.ticket.request == call.text && life.gone == never;
          if (stands && life.lowered == never) life.lowered = position_ + 1;
        }
        commit();
      }
      if (call.verb == Verb::write_if_held) {
        const bool stands = std::ranges::any_of(lives_, [&](const TicketLife& life) {
          return life.ticket.request == call.text && life.gone == never;
        });
        if (!stands) call.error = make_error(Errc::fenced, "its tickets do not stand");
      }
    }
  }
  call.executed = position_;
}

void Coordinator::join(Call& call) {
  Joined joined;
  for (const TableColumns& wanted : call.request->columns) {
    const auto fixed = columns_at(core::Resource(wanted.table), position_);
    if (!fixed.has_value()) continue;
    const std::size_t common = std::min(fixed->columns.size(), wanted.columns.size());
    const auto end = static_cast<std::ptrdiff_t>(common);
    if (!std::equal(fixed->columns.begin(), fixed->columns.begin() + end, wanted.columns.begin())) {
      joined.columns_changed = true;
    }
  }
  if (!joined.columns_changed) {
    for (const TableColumns& wanted : call.request->columns) {
      const core::Resource table(wanted.table);
      const auto fixed = columns_at(table, position_);
      if (fixed.has_value() && fixed->columns.size() >= wanted.columns.size()) continue;
      orders_.push_back({table, position_ + 1, wanted});
    }
    for (const core::Place& place : call.request->places) {
      TicketLife life;
      life.ticket = {"n" + std::to_string(nodes_++), call.request->id, call.request->owner.owner,
                     place, position_ + 1};
      life.token = {position_ + 1, joined.tokens.size()};
      life.request = call.request;
      life.session = call.session;
      joined.tickets.push_back(life.ticket);
      joined.tokens.push_back(life.token);
      lives_.push_back(std::move(life));
    }
    commit();
  }
  call.joined = std::move(joined);
}

void Coordinator::find(Call& call) const {
  Joined joined;
  for (const TicketLife& life : lives_) {
    if (life.ticket.request != call.request->id || life.gone != never) continue;
    joined.tickets.push_back(life.seen_at(position_));
    joined.tokens.push_back(life.token);
  }
  if (!joined.tickets.empty()) call.joined = std::move(joined);
}

void Coordinator::leave(const std::string& request) {
  bool any = false;
  for (TicketLife& life : lives_) {
    if (life.ticket.request != request || life.gone != never) continue;
    life.gone = position_ + 1;
    any = true;
  }
  if (any) commit();
}

void Coordinator::end(int id) {
  SessionTruth& session = truth(id);
  if (!session.alive) return;
  session.alive = false;
  session.ended = position_ + 1;
  for (TicketLife& life : lives_) {
    if (life.session == id && life.gone == never) life.gone = position_ + 1;
  }
  commit();
}

void Coordinator::watch_over(int id) {
  const SessionTruth& session = truth(id);
  if (!session.alive || session.broken) return;
  const Time over = session.heard + faults_->timeout;
  if (over > schedule_->now()) {
    schedule_->at(over, [this, id] { watch_over(id); });
    return;
  }
  ++count_->expiries;
  end(id);
}

void Coordinator::break_session(int id) {
  SessionTruth& session = truth(id);
  if (!session.alive || session.broken) return;
  ++count_->breaks;
  session.broken = true;
  schedule_->at(schedule_->now() + faults_->timeout, [this, id] { end(id); });
}

const TicketLife* Coordinator::find_life(const std::string& node) const {
  const std::size_t index = std::stoul(node.substr(1));
  return index < lives_.size() ? &lives_[index] : nullptr;
}

std::optional<TableColumns> Coordinator::columns_at(const core::Resource& table,
                                                    Position position) const {
  std::optional<TableColumns> columns;
  for (const Order& order : orders_) {
    if (order.table == table && order.since <= position) columns = order.columns;
  }
  return columns;
}

Result<void> Coordinator::set_columns(const TableColumns& columns) {
  orders_.push_back({core::Resource(columns.table), position_ + 1, columns});
  commit();
  return {};
}

// --- the replicas ---

void Coordinator::hear(int replica, int session) {
  std::vector<int>& heard = at(replica).heard;
  if (std::ranges::find(heard, session) == heard.end()) heard.push_back(session);
}

void Coordinator::to_leader(int replica, std::function<void()> action) {
  Replica& follower = at(replica);
  const Time arrives = schedule_->now() + random_->between(0, 2 * faults_->latency);
  follower.leader_channel = std::max(follower.leader_channel + 1, arrives);
  schedule_->at(follower.leader_channel, std::move(action));
}

void Coordinator::report(int index) {
  Replica& follower = at(index);
  if (follower.up && !follower.heard.empty()) {
    to_leader(index, [this, heard = std::exchange(follower.heard, {})] {
      for (const int session : heard) truth(session).heard = schedule_->now();
    });
  }
  const Time gap = random_->between(faults_->ping_gap / 2, faults_->ping_gap);
  schedule_->at(schedule_->now() + gap, [this, index] { report(index); });
}

void Coordinator::read(Call& call, Position applied) const {
  const SessionTruth& session = sessions_[static_cast<std::size_t>(call.session)];
  if (session.ended <= applied) {
    call.error = make_error(Errc::lost, "the session has expired");
    return;
  }
  const auto meets = [&](const TicketLife& life) {
    return std::ranges::any_of(call.places, [&](const core::Place& place) {
      return place.resource.meets(life.ticket.place.resource);
    });
  };
  for (const TicketLife& life : lives_) {
    if (!life.stands_at(applied)) continue;
    if (call.verb == Verb::standing && meets(life)) call.found.push_back(standing(life, applied));
    if (call.verb == Verb::tickets_of && life.ticket.owner == call.text) {
      call.found.push_back(standing(life, applied));
    }
  }
  if (call.verb != Verb::still_there) return;
  for (const Ticket& ticket : call.tickets) {
    const TicketLife* life = find_life(ticket.node);
    if (life != nullptr && life->stands_at(applied)) call.left.push_back(life->seen_at(applied));
  }
}

StandingTicket Coordinator::standing(const TicketLife& life, Position position) const {
  return {life.seen_at(position),
          life.token,
          life.request->owner,
          life.request->proof,
          "session-" + std::to_string(life.session),
          life.request->since};
}

void Coordinator::stall(int index, Time length) {
  ++count_->replica_stalls;
  Replica& follower = at(index);
  follower.leader_channel = std::max(follower.leader_channel, schedule_->now() + length);
  follower.log_channel = std::max(follower.log_channel, schedule_->now() + length);
}

void Coordinator::kill(int index, Time length) {
  Replica& follower = at(index);
  if (!follower.up) return;
  ++count_->replica_deaths;
  follower.up = false;
  ++follower.life;
  follower.heard.clear();
  if (on_death) on_death(index);
  schedule_->at(schedule_->now() + length, [this, index] { at(index).up = true; });
}

}  // namespace locker::simulation
