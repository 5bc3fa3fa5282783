#include "truth.h"

#include <algorithm>
#include <utility>

#include "runtime/engine.h"

namespace locker::simulation {

using runtime::GrantPtr;
using runtime::Milliseconds;

namespace {

// How much later than it was due an answer may be, beyond what the engine says: alarms are late,
// and a machine that wakes up has much to do.
constexpr Milliseconds slack{250};

bool any_conflict(const std::vector<core::Place>& left, const std::vector<core::Place>& right) {
  return std::ranges::any_of(left, [&](const core::Place& one) {
    return std::ranges::any_of(
        right, [&](const core::Place& other) { return core::conflict(one, other); });
  });
}

std::string text_of(const std::vector<core::Place>& places) {
  std::string text;
  for (const core::Place& place : places) {
    text += " " + place.resource.path() + ":" + std::string(name_of(place.mode));
  }
  return text;
}

}  // namespace

std::string reason_of(int number) {
  return "call " + std::to_string(number);
}

int number_of(const std::string& reason) {
  return std::stoi(reason.substr(5));
}

Truth::Truth(World& world, Outcomes& outcomes) : world_(&world), outcomes_(&outcomes) {
  world_->coordinator.on_step = [this] { look_at_queue(); };
}

void Truth::fail(std::string what) {
  if (violation_.empty()) violation_ = std::move(what);
}

int Truth::asks(Asked asked) {
  ++outcomes_->asked;
  asked_.push_back(std::move(asked));
  return static_cast<int>(asked_.size()) - 1;
}

void Truth::answers(int number, const Result<GrantPtr>& answer, Machine& machine) {
  Asked& call = asked(number);
  call.answered = true;
  check_late(call, machine);
  if (answer) {
    check_grant(number, *answer);
  } else {
    check_end(call, answer.error(), machine);
  }
}

// --- grants ---

void Truth::check_grant(int number, const GrantPtr& grant) {
  const Asked& call = asked(number);
  ++outcomes_->granted;
  const std::string mine = reason_of(number) + " of " + call.owner.substr(0, 4);
  if (!grant->held()) fail("belief: " + mine + " was given a lock that nobody may believe in");
  if (grant->borrowed()) {
    ++outcomes_->borrowed;
    return;
  }
  const bool counted = number_of(grant->request().owner.reason) != number;
  if (counted) ++outcomes_->counted;
  if (std::ranges::find(was_waiting_, number) != was_waiting_.end()) ++outcomes_->waited;
  if (grant->request().owner.owner != call.owner) fail(mine + " was given another's grant");
  const std::vector<core::Place> places = grant->places();
  if (!counted) {
    const std::vector<core::Ticket>& tickets = grant->tickets();
    for (const TicketLife& other : world_->coordinator.lives()) {
      if (other.gone != never || other.ticket.owner == call.owner) continue;
      const core::Ticket present = other.seen_at(world_->coordinator.position());
      for (const core::Ticket& ticket : tickets) {
        if (present.position < ticket.position && core::conflict(present.place, ticket.place)) {
          fail("order: " + mine + " was granted at " + std::to_string(ticket.position) + " past " +
               other.request->owner.reason + " of " + present.owner.substr(0, 4) + " at " +
               std::to_string(present.position));
        }
      }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const FencingToken token = grant->members()[i].token;
      for (const Given& given : given_) {
        if (given.owner == call.owner || !core::conflict(given.place, places[i])) continue;
        if (!(given.token < token)) fail("token: " + mine + " got one that is not greater");
      }
      given_.push_back({call.owner, places[i], token});
    }
  }
  holdings_.push_back({grant, call.client, call.owner});
  pairs_known_ = false;
}

void Truth::releases(const GrantPtr& grant) {
  const auto found = std::ranges::find(holdings_, grant, &Holding::grant);
  if (found == holdings_.end()) return;
  if (grant->state() == LockState::lost) ++outcomes_->lost_grants;
  holdings_.erase(found);
  pairs_known_ = false;
}

void Truth::lowers() {
  ++outcomes_->downgrades;
  pairs_known_ = false;
}

void Truth::crashes(int client) {
  std::erase_if(holdings_, [&](const Holding& holding) { return holding.client == client; });
  pairs_known_ = false;
}

void Truth::find_pairs() {
  pairs_.clear();
  std::vector<std::vector<core::Place>> places;
  for (const Holding& holding : holdings_) places.push_back(holding.grant->places());
  for (std::size_t i = 0; i < holdings_.size(); ++i) {
    for (std::size_t j = i + 1; j < holdings_.size(); ++j) {
      if (holdings_[i].owner == holdings_[j].owner) continue;
      if (any_conflict(places[i], places[j])) pairs_.emplace_back(i, j);
    }
  }
  pairs_known_ = true;
}

void Truth::look_at_beliefs() {
  if (!pairs_known_) find_pairs();
  for (const auto& [i, j] : pairs_) {
    const Holding& one = holdings_[i];
    const Holding& other = holdings_[j];
    if (!one.grant->held() || !other.grant->held()) continue;
    fail("exclusion: " + one.grant->request().owner.reason + " of " + one.owner.substr(0, 4) +
         text_of(one.grant->places()) + " believes for " +
         std::to_string(one.grant->valid_for().count()) + " ms, and so does " +
         other.grant->request().owner.reason + " of " + other.owner.substr(0, 4) +
         text_of(other.grant->places()) + " for " +
         std::to_string(other.grant->valid_for().count()) + " ms");
  }
}

// --- other endings ---

void Truth::check_late(const Asked& call, const Machine& machine) {
  const runtime::SteadyTime now = machine.now();
  const Milliseconds grace = runtime::Engine::hard_stop_after + slack;
  // A machine that stood still answers when it runs again.
  const auto due = [&](runtime::SteadyTime at) { return std::max(at, machine.ran_since()); };
  if (call.cancelled.has_value() && now > due(*call.cancelled) + grace) {
    fail("late: a cancelled call was answered " + std::to_string((now - *call.cancelled).count()) +
         " ms later");
  }
  if (call.timeout < std::chrono::seconds(1) || call.timeout > std::chrono::hours(1)) return;
  if (now > due(call.began + call.timeout) + grace) {
    fail("late: an answer came " + std::to_string((now - call.began - call.timeout).count()) +
         " ms past its deadline");
  }
}

void Truth::check_end(const Asked& call, const Error& error, const Machine& machine) {
  const std::string name(name_of(error.errc));
  if (error.errc == Errc::timeout) {
    ++outcomes_->timeouts;
    if (call.timeout == wait_for_ever) fail("timeout: of a wait without end");
    if (machine.now() < call.began + call.timeout) fail("timeout: before its deadline");
    const Time since = std::max(call.cycle_since, healed_at_);
    const bool healthy = healed_at_ >= 0 && call.cycle_since >= 0;
    if (healthy && world_->schedule.now() - since > world_->faults.timeout) {
      fail("deadlock: a cycle was broken by a time-out");
    }
  } else if (error.errc == Errc::deadlock) {
    ++outcomes_->deadlocks;
    if (!call.closed_cycle) fail("deadlock: there was no cycle that the request closed");
  } else if (error.errc == Errc::cancelled) {
    ++outcomes_->cancelled;
    if (!call.cancelled.has_value()) fail("cancelled: nobody did");
  } else if (error.errc == Errc::lost) {
    ++outcomes_->lost;
  } else if (error.errc == Errc::unavailable) {
    ++outcomes_->unavailable;
    const Milliseconds calm(2 * world_->faults.timeout / millisecond);
    if (machine.settled_at().has_value() && call.began > *machine.settled_at() + calm) {
      fail("unavailable: from a healthy coordinator: " + error.message);
    }
  } else if (error.errc == Errc::invalid) {
    ++outcomes_->refused;
  } else {
    fail("answer: " + name + " is none of the listed ends: " + error.message);
  }
}

// --- the queue ---

void Truth::look_at_queue() {
  const Coordinator& coordinator = world_->coordinator;
  queue_.clear();
  for (const TicketLife& life : coordinator.lives()) {
    if (life.gone != never) continue;
    const auto same = std::ranges::find_if(queue_, [&](const Standing& other) {
      return other.session == life.session && other.first->ticket.request == life.ticket.request;
    });
    Standing* standing = same == queue_.end() ? nullptr : &*same;
    if (standing == nullptr) {
      const int call = number_of(life.request->owner.reason);
      queue_.push_back({&life, life.ticket.request, call, life.session, 0, {}, {}});
      standing = &queue_.back();
    }
    ++standing->count;
    standing->tickets.push_back(life.seen_at(coordinator.position()));
  }
  for (const Standing& one : queue_) {
    if (one.count != one.first->request->places.size()) {
      fail("set: " + reason_of(one.call) + " stands with " + std::to_string(one.count) + " of " +
           std::to_string(one.first->request->places.size()) + " tickets");
    }
    for (const Standing& other : queue_) {
      if (&one != &other && one.call == other.call && one.session == other.session) {
        fail("set: " + reason_of(one.call) + " stands twice");
      }
    }
    const LockSet& members = asked(one.call).members;
    const bool whole = std::ranges::all_of(members, [&](const LockMember& member) {
      return std::ranges::any_of(one.first->request->places, [&](const core::Place& place) {
        return at_least(place.mode, member.mode) &&
               place.resource.covers(core::Resource(member.resource));
      });
    });
    // Where columns come in another order, their resources are the table's business.
    const bool ordered = std::ranges::none_of(
        members, [](const LockMember& member) { return member.resource.keys().size() > 1; });
    if (!whole && ordered) fail("set: " + reason_of(one.call) + " is not asked for as a whole");
  }
  look_at_cycles();
}

bool Truth::closes_cycle(std::size_t request) const {
  const std::string& owner = queue_[request].first->ticket.owner;
  const Position youngest = queue_[request].first->ticket.position;
  std::vector<bool> seen(queue_.size());
  std::vector<std::size_t> open = queue_[request].behind;
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    if (seen[next]) continue;
    seen[next] = true;
    const std::string& reached = queue_[next].first->ticket.owner;
    if (reached == owner) return true;
    for (std::size_t other = 0; other < queue_.size(); ++other) {
      const core::Ticket& ticket = queue_[other].first->ticket;
      if (ticket.owner != reached || ticket.position >= youngest) continue;
      open.insert(open.end(), queue_[other].behind.begin(), queue_[other].behind.end());
    }
  }
  return false;
}

void Truth::look_at_cycles() {
  bool any_waits = false;
  for (Standing& one : queue_) {
    for (std::size_t other = 0; other < queue_.size(); ++other) {
      const Standing& older = queue_[other];
      if (older.first->ticket.owner == one.first->ticket.owner) continue;
      if (older.first->ticket.position >= one.first->ticket.position) continue;
      const bool ahead = std::ranges::any_of(one.tickets, [&](const core::Ticket& mine) {
        return std::ranges::any_of(older.tickets, [&](const core::Ticket& theirs) {
          return core::conflict(mine.place, theirs.place);
        });
      });
      if (ahead) one.behind.push_back(other);
    }
    if (!one.behind.empty()) {
      any_waits = true;
      if (std::ranges::find(was_waiting_, one.call) == was_waiting_.end()) {
        was_waiting_.push_back(one.call);
      }
    }
  }
  std::vector<int> in_cycle;
  for (std::size_t index = 0; any_waits && index < queue_.size(); ++index) {
    if (!queue_[index].behind.empty() && closes_cycle(index)) {
      in_cycle.push_back(queue_[index].call);
    }
  }
  for (int number = 0; number < static_cast<int>(asked_.size()); ++number) {
    Asked& call = asked(number);
    if (std::ranges::find(in_cycle, number) == in_cycle.end()) {
      call.cycle_since = -1;
      continue;
    }
    if (!call.closed_cycle) ++outcomes_->cycles;
    call.closed_cycle = true;
    if (call.cycle_since < 0) call.cycle_since = world_->schedule.now();
  }
}

bool Truth::tidy() const {
  return std::ranges::all_of(world_->coordinator.lives(),
                             [](const TicketLife& life) { return life.gone != never; });
}

std::vector<std::string> Truth::waiting_requests() const {
  std::vector<std::string> waiting;
  for (const Standing& one : queue_) {
    if (!one.behind.empty()) waiting.push_back(one.request);
  }
  return waiting;
}

void Truth::look_at_remains() {
  for (const TicketLife& life : world_->coordinator.lives()) {
    if (life.gone != never) continue;
    fail("remains: " + life.request->owner.reason + " has ended and still stands at " +
         life.ticket.place.resource.path());
  }
}

}  // namespace locker::simulation
