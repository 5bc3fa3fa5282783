#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/lock_backend.h"

#include "coordinator.h"
#include "faults.h"
#include "machine.h"

namespace locker::simulation {

using boost::asio::awaitable;

class ModelSession;

// What the sessions of one run share.
struct World {
  boost::asio::io_context context;
  Schedule schedule;
  Random random;
  Faults faults;
  FaultCount count;
  Coordinator coordinator;
  // By number; a session is kept for the whole run, whoever has forgotten it.
  std::vector<std::shared_ptr<ModelSession>> sessions;

  explicit World(std::uint64_t seed);
};

// One connection as the server sees it: verbs are answered in their order.
struct Link {
  int number = 0;
  int replica = 0;
  bool broken = false;  // nothing sent by it from now on arrives
  bool deaf = false;    // nor do the answers that were on their way
  Time up = 0;          // when the last message to the replica arrives
  Time down = 0;        // when the last answer to the client arrives
  std::deque<CallPtr> arrived;
};
using LinkPtr = std::shared_ptr<Link>;

// A session as the client has it: one connection at a time, to one replica, which sees no older
// state than the session has seen. A connection that breaks leaves every verb on it without an
// answer, whether or not it has its effect, and another is made.
class ModelSession : public runtime::Session {
 public:
  ModelSession(World& world, std::shared_ptr<Machine> machine, int id, runtime::BootTime opened,
               int replica, Position seen);

  std::string id() const override { return "session-" + std::to_string(id_); }
  awaitable<Result<runtime::Joined>> join(runtime::RequestPtr request) override;
  awaitable<Result<std::optional<runtime::Joined>>> find(runtime::RequestPtr request) override;
  awaitable<Result<std::vector<runtime::StandingTicket>>> standing(
      std::vector<core::Place> places) override;
  awaitable<Result<std::vector<core::Ticket>>> still_there(
      std::vector<core::Ticket> tickets) override;
  awaitable<Result<void>> watch(core::Ticket ticket, runtime::EventPtr changed) override;
  awaitable<Result<void>> leave(std::string request_id) override;
  awaitable<Result<void>> lower(std::string request_id) override;
  awaitable<Result<void>> reown(std::string request_id, std::string owner_id,
                                std::string proof) override;
  awaitable<Result<std::vector<runtime::StandingTicket>>> tickets_of(
      std::string owner_id, std::vector<core::Place> near) override;
  awaitable<Result<void>> write_if_held(std::string request_id, std::string key,
                                        std::string value) override;
  awaitable<Result<void>> beat() override;
  awaitable<Result<void>> touch() override;
  awaitable<void> close() override;
  std::optional<runtime::Milliseconds> timeout() const override;
  runtime::BootTime opened_at() const override { return opened_; }
  std::optional<Error> over() const override { return over_; }
  void on_over(const runtime::EventPtr& event) override;

  // --- what the world does to it ---
  int number() const { return id_; }
  // Its link breaks; it is noticed after a while, and another is made.
  void break_link(Time noticed_after);
  void replica_applied(int replica);
  void replica_died(int replica);
  Machine& machine() const { return *machine_; }
  bool watches_something() const { return !watches_.empty(); }
  void fire_odd_watch();

 private:
  struct Watch {
    core::Ticket ticket;
    runtime::EventPtr changed;
  };

  CallPtr make(Verb verb);
  awaitable<void> answered(CallPtr call);
  void send(const CallPtr& call);
  void transmit(const CallPtr& call);
  void arrive(const LinkPtr& link, const CallPtr& call);
  void process(const LinkPtr& link);
  void executed(const LinkPtr& link, const CallPtr& call);
  void lose_rack(const Link& link);
  void reply(const LinkPtr& link, const CallPtr& call);
  void finish(const CallPtr& call);
  void fail(std::deque<CallPtr>& calls, const Error& why);
  void link_noticed_broken(const LinkPtr& link);
  void attach_after(Time wait);
  void attach();
  void attached(const LinkPtr& link, const CallPtr& call);
  void end(const Error& why);
  void look_at_watches();
  void fire(const runtime::EventPtr& changed);
  bool lives() const { return !over_.has_value() && !machine_->crashed(); }

  World* world_;
  std::shared_ptr<Machine> machine_;
  int id_;
  runtime::BootTime opened_;
  LinkPtr link_;
  bool linked_ = true;  // as far as the client knows
  int links_ = 0;
  Position seen_ = 0;
  std::deque<CallPtr> sent_;     // on the present link, not answered
  std::deque<CallPtr> waiting_;  // for a link
  std::vector<Watch> watches_;
  std::optional<Error> over_;
  std::vector<runtime::EventPtr> over_events_;
};

}  // namespace locker::simulation
