#include "run.h"

#include <memory>
#include <utility>
#include <vector>

#include "client.h"
#include "ids.h"

namespace locker::simulation {
namespace {

constexpr long most_steps = 200'000;

class Run {
 public:
  Run(std::uint64_t seed, std::string scenario, Tally& tally);

  Verdict go(const std::function<void(const std::string&)>& trace);

 private:
  void step();
  void step_until(const std::function<bool()>& done, Time limit, const std::string& otherwise);
  void disasters();
  void disaster();
  void strike(Client& client);
  void remove_a_waiter();
  void heal();
  void count();
  bool sound() const { return truth_.violation().empty(); }
  template <typename Condition>
  bool every(Condition condition) const;

  World world_;
  Tally* tally_;
  Outcomes outcomes_;
  Truth truth_;
  Plan plan_;
  std::vector<Owner> owners_;
  std::vector<std::unique_ptr<Client>> clients_;
  bool healed_ = false;
  bool crashed_ = false;
  long steps_ = 0;
  std::uint64_t print_ = 14695981039346656037ULL;
};

Run::Run(std::uint64_t seed, std::string scenario, Tally& tally)
    : world_(seed), tally_(&tally), truth_(world_, outcomes_) {
  draw_ids_from(&world_.random);
  if (scenario.empty()) scenario = world_.random.pick(scenarios());
  plan_ = make_plan(scenario, world_.random, world_.faults);
  int owners = 0;
  for (const ClientPlan& client : plan_.clients) owners += static_cast<int>(client.tasks.size());
  for (int owner = 0; owner < owners; ++owner) owners_.push_back(Owner::create());
  for (const ClientPlan& client : plan_.clients) {
    const auto number = static_cast<int>(clients_.size());
    clients_.push_back(std::make_unique<Client>(world_, truth_, number, client, owners_));
    Machine& machine = clients_.back()->machine();
    machine.before_delivery = [this, &machine] {
      if (!world_.random.chance(world_.faults.pause_at_step)) return;
      ++world_.count.pauses;
      machine.pause(world_.random.between(0, world_.faults.timeout), world_.random.chance(0.3));
    };
  }
}

template <typename Condition>
bool Run::every(Condition condition) const {
  for (const auto& client : clients_) {
    if (!condition(*client)) return false;
  }
  return true;
}

void Run::step() {
  world_.schedule.step();
  world_.context.restart();
  world_.context.poll();
  truth_.look_at_beliefs();
  ++steps_;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(world_.schedule.now()), world_.coordinator.position()}) {
    print_ = (print_ ^ part) * 1099511628211ULL;
  }
}

void Run::step_until(const std::function<bool()>& done, Time limit, const std::string& otherwise) {
  const Time end = world_.schedule.now() + limit;
  while (sound() && !done()) {
    if (world_.schedule.now() > end || steps_ > most_steps) {
      if (!otherwise.empty()) truth_.fail(otherwise);
      return;
    }
    step();
  }
}

// --- what befalls a run ---

void Run::disasters() {
  const Time mean = world_.faults.between_disasters;
  if (healed_ || mean == 0) return;
  world_.schedule.at(world_.schedule.now() + world_.random.between(0, 2 * mean), [this] {
    if (healed_) return;
    disaster();
    disasters();
  });
}

void Run::disaster() {
  Random& random = world_.random;
  const Time timeout = world_.faults.timeout;
  const auto replica = static_cast<int>(random.below(Coordinator::replica_count));
  switch (random.below(8)) {
    case 0:
      world_.coordinator.kill(replica, random.between(0, timeout));
      break;
    case 1:
      world_.coordinator.stall(replica, random.between(0, timeout));
      break;
    case 2:
      if (world_.coordinator.session_count() > 0 && random.chance(0.5)) {
        const auto sessions = static_cast<std::uint64_t>(world_.coordinator.session_count());
        world_.coordinator.break_session(static_cast<int>(random.below(sessions)));
      }
      break;
    case 3:
      remove_a_waiter();
      break;
    default:
      strike(*clients_[static_cast<std::size_t>(random.below(clients_.size()))]);
      break;
  }
}

// One client's machine, or the way to it.
void Run::strike(Client& client) {
  Random& random = world_.random;
  const Time timeout = world_.faults.timeout;
  const Time length = random.pick<Time>({timeout / 6, timeout, timeout, 3 * timeout});
  const auto each_session = [&](const std::function<void(ModelSession&)>& action) {
    for (const auto& session : world_.sessions) {
      if (session != nullptr && &session->machine() == &client.machine()) action(*session);
    }
  };
  switch (random.below(10)) {
    case 0:
    case 1:
    case 2:
      ++world_.count.cuts;
      client.machine().cut(world_.schedule.now() + random.between(0, length));
      each_session(
          [&](ModelSession& session) { session.break_link(random.between(0, 2 * timeout / 3)); });
      break;
    case 3:
    case 4:
    case 5:
      ++world_.count.pauses;
      client.machine().pause(random.between(0, length), random.chance(0.3));
      break;
    case 6:
      ++world_.count.wall_jumps;
      client.machine().jump_wall(random.between(-5, 5) * 3600 * 1000 * millisecond);
      break;
    case 7:
      each_session([](ModelSession& session) { session.fire_odd_watch(); });
      break;
    case 8:
      if (crashed_ || random.chance(0.7)) break;
      crashed_ = true;
      ++world_.count.crashes;
      client.crash();
      break;
    default:
      each_session(
          [&](ModelSession& session) { session.break_link(random.between(0, timeout / 3)); });
      break;
  }
}

// Somebody deletes what stands in a queue and is not granted, as an administrator's script might.
void Run::remove_a_waiter() {
  const std::vector<std::string> waiting = truth_.waiting_requests();
  if (waiting.empty()) return;
  ++world_.count.removals;
  world_.coordinator.remove(world_.random.pick(waiting));
}

void Run::heal() {
  healed_ = true;
  world_.faults = world_.faults.healed();
  for (const auto& client : clients_) client->machine().settle();
  truth_.heals();
}

// --- a run ---

Verdict Run::go(const std::function<void(const std::string&)>& trace) {
  if (trace) {
    truth_.trace = [this, trace](const std::string& what) {
      trace(std::to_string(world_.schedule.now() / millisecond) + " ms @" +
            std::to_string(world_.coordinator.position()) + " " + what);
    };
  }
  const Time timeout = world_.faults.timeout;
  for (const auto& client : clients_) client->start();
  world_.context.poll();
  disasters();
  const auto all_done = [this] {
    return every([](const Client& client) { return client.done(); });
  };
  step_until(all_done, world_.random.between(2, 8) * timeout, "");
  heal();
  step_until(all_done, 60 * timeout + 60'000 * millisecond, "end: a task did not");
  // What goes on in the background has time to end.
  const auto tidy = [this] { return truth_.tidy(); };
  step_until(tidy, 4 * timeout, "");
  if (sound()) truth_.look_at_remains();
  for (const auto& client : clients_) {
    if (!client->machine().crashed()) client->stop();
  }
  const auto stopped = [this] {
    return every([](const Client& client) { return client.stopped(); });
  };
  step_until(stopped, 4 * timeout, "end: a locker could not be closed");
  count();
  return {truth_.violation(), plan_.scenario, print_};
}

void Run::count() {
  world_.count.steps = steps_;
  tally_->add(world_.count, outcomes_);
}

}  // namespace

Verdict run_one(std::uint64_t seed, const std::string& scenario, Tally& tally,
                const std::function<void(const std::string&)>& trace) {
  Run run(seed, scenario, tally);
  return run.go(trace);
}

}  // namespace locker::simulation
