#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/grant.h"

#include "plan.h"
#include "session.h"
#include "tally.h"

namespace locker::simulation {

// One call of `lock`.
struct Asked {
  int client = 0;
  std::string owner;
  LockSet members;
  std::chrono::milliseconds timeout{0};
  runtime::SteadyTime began;
  std::optional<runtime::SteadyTime> cancelled;
  bool inherited = false;
  bool answered = false;
  bool closed_cycle = false;  // at some moment it stood last in a cycle of waits
  Time cycle_since = -1;      // since when it stands so
};

// Knows the coordinator's state and what every handle says of itself, and judges. Everything that
// it judges by is general: nothing here knows of any particular mistake.
class Truth {
 public:
  Truth(World& world, Outcomes& outcomes);

  // The first thing that was wrong; empty: nothing.
  const std::string& violation() const { return violation_; }
  void fail(std::string what);

  int asks(Asked asked);
  Asked& asked(int number) { return asked_[static_cast<std::size_t>(number)]; }
  void answers(int number, const Result<runtime::GrantPtr>& answer, Machine& machine);
  // The handle is let go, or is believed to be shared from now on.
  void releases(const runtime::GrantPtr& grant);
  void lowers();
  // What this client believes counts no more.
  void crashes(int client);

  // After every step: nobody who conflicts believes.
  void look_at_beliefs();
  // At the end: nothing of a request that has ended is left.
  void look_at_remains();
  bool tidy() const;
  // The requests that stand behind others now.
  std::vector<std::string> waiting_requests() const;
  // From now on nothing fails any more.
  void heals() { healed_at_ = world_->schedule.now(); }

  std::function<void(const std::string&)> trace;

 private:
  struct Holding {
    runtime::GrantPtr grant;
    int client;
    std::string owner;
  };
  // A grant as it was given, for all later ones to be compared with.
  struct Given {
    std::string owner;
    core::Place place;
    FencingToken token;
  };

  void look_at_queue();
  void look_at_cycles();
  bool closes_cycle(std::size_t request) const;
  void check_grant(int number, const runtime::GrantPtr& grant);
  void check_end(const Asked& asked, const Error& error, const Machine& machine);
  void check_late(const Asked& asked, const Machine& machine);
  void find_pairs();

  World* world_;
  Outcomes* outcomes_;
  std::string violation_;
  std::vector<Asked> asked_;
  std::vector<Holding> holdings_;
  std::vector<Given> given_;
  bool pairs_known_ = true;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;  // of holdings that conflict
  Time healed_at_ = -1;

  // The queue at the present step, by request.
  struct Standing {
    const TicketLife* first;  // only while the queue does not change
    std::string request;
    int call;
    int session;
    std::size_t count;
    std::vector<core::Ticket> tickets;
    std::vector<std::size_t> behind;  // requests that it waits for
  };
  std::vector<Standing> queue_;
  std::vector<int> was_waiting_;
};

// The number of the call that a request belongs to; its reason carries it.
std::string reason_of(int number);
int number_of(const std::string& reason);

}  // namespace locker::simulation
