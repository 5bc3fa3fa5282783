#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/lock_backend.h"

#include "faults.h"
#include "schedule.h"

namespace locker::simulation {

// The number of a step of the leader's log; every change has one.
using Position = std::uint64_t;
inline constexpr Position never = std::numeric_limits<Position>::max();

// A ticket and its whole life, so that a replica is only a position in the log.
struct TicketLife {
  core::Ticket ticket;  // as it was made
  FencingToken token;
  runtime::RequestPtr request;
  int session = 0;
  Position lowered = never;
  Position gone = never;

  bool stands_at(Position position) const { return ticket.position <= position && position < gone; }
  core::Ticket seen_at(Position position) const;
};

// A verb on its way: what is asked, where it is, what came of it.
enum class Verb {
  open,
  attach,
  close,
  join,
  find,
  standing,
  still_there,
  watch,
  leave,
  lower,
  tickets_of,
  write_if_held,
  beat,
  touch,
};

struct Call {
  Verb verb = Verb::touch;
  int session = -1;
  int link = 0;  // the connection that it was sent by
  runtime::RequestPtr request;
  std::string text;  // a request's, owner's or record's name
  std::vector<core::Place> places;
  std::vector<core::Ticket> tickets;
  runtime::EventPtr changed;

  bool lost_before = false;
  bool lost_after = false;
  Position executed = 0;  // the log's position after it, for a verb that writes

  std::optional<Error> error;
  std::optional<runtime::Joined> joined;
  std::vector<runtime::StandingTicket> found;
  std::vector<core::Ticket> left;
  bool answered = false;
  runtime::EventPtr done;
};
using CallPtr = std::shared_ptr<Call>;

bool writes(Verb verb);

// The truth: one leader with one log, and replicas that follow it, each at its own pace. A session
// is heard of by the leader only when a replica reports those it has heard from, or when it is
// opened or attached anew. What the leader hears from nobody for T, ends.
class Coordinator {
 public:
  static constexpr int replica_count = 3;

  Coordinator(Schedule& schedule, Random& random, Faults& faults, FaultCount& count);

  // --- the leader, its state is the truth ---
  struct SessionTruth {
    bool alive = true;
    bool broken = false;
    int link = 0;  // the newest connection; what older ones bring is refused
    Time heard = 0;
    Position ended = never;
  };

  Position position() const { return position_; }
  const std::vector<TicketLife>& lives() const { return lives_; }
  const SessionTruth& session(int id) const { return sessions_[static_cast<std::size_t>(id)]; }
  runtime::StandingTicket standing(const TicketLife& life, Position position) const;
  // The ticket of that name; null: there never was one.
  const TicketLife* find_life(const std::string& node) const;
  int session_count() const { return static_cast<int>(sessions_.size()); }
  std::optional<TableColumns> columns_at(const core::Resource& table, Position position) const;
  Result<void> set_columns(const TableColumns& columns);

  // Does a verb that writes.
  void execute(Call& call);
  // An admin ends a session; its tickets go T later.
  void break_session(int id);
  // Somebody deletes a request's tickets.
  void remove(const std::string& request) { leave(request); }

  // --- the replicas ---
  struct Replica {
    bool up = true;
    Position applied = 0;
    Time leader_channel = 0;  // when the last message to the leader arrives
    Time log_channel = 0;     // when the last step of the log arrives
    int life = 0;             // a restarted replica has forgotten what it had heard
    std::vector<int> heard;   // sessions since its last report
  };

  const Replica& replica(int index) const { return replicas_[static_cast<std::size_t>(index)]; }
  // It has heard from a session.
  void hear(int replica, int session);
  // Sends something to the leader, behind everything that this replica sent before.
  void to_leader(int replica, std::function<void()> action);
  // Answers a verb that only reads, from a replica's state.
  void read(Call& call, Position applied) const;
  // Nothing goes between this replica and the leader for so long.
  void stall(int replica, Time length);
  void kill(int replica, Time length);

  // Called after each step of the log, and when a replica has applied one or has died.
  std::function<void()> on_step;
  std::function<void(int replica)> on_applied;
  std::function<void(int replica)> on_death;

 private:
  struct Order {
    core::Resource table;
    Position since;
    std::optional<TableColumns> columns;
  };

  Replica& at(int index) { return replicas_[static_cast<std::size_t>(index)]; }
  SessionTruth& truth(int id) { return sessions_[static_cast<std::size_t>(id)]; }
  void commit();
  void report(int replica);
  void watch_over(int session);
  void end(int session);
  void join(Call& call);
  void find(Call& call) const;
  void leave(const std::string& request);

  std::optional<Error> refusal(const Call& call) const;

  Schedule* schedule_;
  Random* random_;
  Faults* faults_;
  FaultCount* count_;
  Position position_ = 0;
  std::uint64_t nodes_ = 0;
  std::vector<TicketLife> lives_;
  std::vector<SessionTruth> sessions_;
  std::vector<Order> orders_;
  std::vector<Replica> replicas_;
};

}  // namespace locker::simulation
