#include "plan.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace locker::simulation {
namespace {

using std::chrono::milliseconds;
using Kind = Action::Kind;

PartitionSpec table() {
  return PartitionSpec("ods", "orders");
}
PartitionSpec day(std::string_view value) {
  return table().with("dt", value);
}

// Draws the parts of plans.
class Planner {
 public:
  Planner(Random& random, const Faults& faults) : random_(&random), faults_(&faults) {}

  LockMode mode() { return random_->chance(0.35) ? LockMode::shared : LockMode::exclusive; }
  PartitionSpec leaf() { return day(random_->pick<std::string>({"1", "2", "3"})); }
  PartitionSpec any_resource() {
    switch (random_->below(8)) {
      case 0:
        return PartitionSpec("ods");
      case 1:
      case 2:
        return table();
      case 3:
        return day("1").with("hr", "7");
      case 4:
        return PartitionSpec("ods", "users").with("dt", "1");
      default:
        return leaf();
    }
  }
  LockSet set_of(std::size_t most, const std::function<PartitionSpec()>& resource) {
    LockSet members;
    const std::size_t size = 1 + random_->below(most);
    while (members.size() < size) members.push_back({resource(), mode()});
    return members;
  }
  milliseconds timeout() {
    const auto session_ms = faults_->timeout / millisecond;
    switch (random_->below(8)) {
      case 0:
        return milliseconds(0);
      case 1:
        return milliseconds(random_->between(1, 60));
      case 2:
        return milliseconds(random_->between(1000, 1500));
      case 3:
        return milliseconds(random_->between(session_ms, 4 * session_ms));
      case 4:
        return default_timeout;
      default:
        return wait_for_ever;
    }
  }
  Time length() {
    switch (random_->below(5)) {
      case 0:
        return 0;
      case 1:
        return random_->between(0, 10) * millisecond;
      case 2:
        return random_->between(0, 300) * millisecond;
      case 3:
        return random_->between(0, faults_->timeout / 4);
      default:
        return random_->between(0, faults_->timeout);
    }
  }

  Action lock(LockSet members, milliseconds timeout) {
    Action action;
    action.kind = Kind::lock;
    action.members = std::move(members);
    action.timeout = timeout;
    return action;
  }
  Action hold() {
    Action action;
    action.length = length();
    return action;
  }
  static Action just(Kind kind) {
    Action action;
    action.kind = kind;
    return action;
  }

  // Clients with tasks of owners of their own.
  Plan plan(std::string name, int most_clients, int most_tasks,
            const std::function<std::vector<Action>()>& actions) {
    Plan plan;
    plan.scenario = std::move(name);
    const auto clients = random_->between(2, most_clients);
    int owners = 0;
    for (int client = 0; client < clients; ++client) {
      ClientPlan& mine = plan.clients.emplace_back();
      const auto tasks = random_->between(1, most_tasks);
      for (int task = 0; task < tasks; ++task) {
        mine.tasks.push_back({.owner = owners++, .inherited = false, .actions = actions()});
      }
    }
    return plan;
  }

  Plan single() {
    return plan("single", 4, 2, [this] {
      std::vector<Action> actions{hold()};
      const auto rounds = random_->between(1, 3);
      for (int round = 0; round < rounds; ++round) {
        actions.push_back(lock({{leaf(), mode()}}, wait_for_ever));
        actions.push_back(hold());
        actions.push_back(just(Kind::release));
      }
      return actions;
    });
  }
  // Locks held for longer than a session lives unheard, with somebody waiting for each.
  Plan vigil() {
    return plan("vigil", 3, 2, [this] {
      std::vector<Action> actions{hold()};
      for (int round = 0; round < 2; ++round) {
        actions.push_back(lock({{day("1"), mode()}}, wait_for_ever));
        Action watch;
        watch.length = random_->between(faults_->timeout / 2, 2 * faults_->timeout);
        actions.push_back(std::move(watch));
        actions.push_back(just(Kind::release));
      }
      return actions;
    });
  }
  Plan tree() {
    return plan("tree", 4, 2, [this] {
      std::vector<Action> actions{hold()};
      const auto rounds = random_->between(1, 3);
      for (int round = 0; round < rounds; ++round) {
        actions.push_back(lock({{any_resource(), mode()}}, timeout()));
        actions.push_back(hold());
        actions.push_back(just(Kind::release));
      }
      return actions;
    });
  }
  Plan sets() {
    return plan("sets", 4, 2, [this] {
      std::vector<Action> actions{hold()};
      const auto rounds = random_->between(1, 3);
      for (int round = 0; round < rounds; ++round) {
        actions.push_back(lock(set_of(3, [this] { return any_resource(); }), timeout()));
        actions.push_back(hold());
        actions.push_back(just(Kind::release));
      }
      return actions;
    });
  }
  Plan impatient() {
    return plan("impatient", 3, 3, [this] {
      std::vector<Action> actions{hold()};
      const auto rounds = random_->between(2, 4);
      for (int round = 0; round < rounds; ++round) {
        Action wait = lock(set_of(2, [this] { return leaf(); }), timeout());
        if (random_->chance(0.4)) wait.cancel_after = length();
        actions.push_back(std::move(wait));
        actions.push_back(hold());
        actions.push_back(just(Kind::release));
      }
      return actions;
    });
  }
  // Locks taken one after another: these can deadlock.
  Plan sequence() {
    return plan("sequence", 4, 2, [this] {
      std::vector<Action> actions{hold()};
      const auto locks = random_->between(2, 3);
      for (int next = 0; next < locks; ++next) {
        const milliseconds wait = random_->chance(0.7) ? wait_for_ever : default_timeout;
        actions.push_back(lock(set_of(2, [this] { return any_resource(); }), wait));
        actions.push_back(hold());
      }
      return actions;
    });
  }
  // One owner that asks for more, for less, and for what it holds.
  Plan upgrades() {
    return plan("upgrades", 4, 2, [this] {
      std::vector<Action> actions{hold()};
      const PartitionSpec mine = random_->chance(0.7) ? day("1") : table();
      actions.push_back(lock({{mine, mode()}}, wait_for_ever));
      const auto more = random_->between(1, 3);
      for (int next = 0; next < more; ++next) {
        actions.push_back(hold());
        switch (random_->below(5)) {
          case 0:
            actions.push_back(lock({{table(), mode()}}, timeout()));
            break;
          case 1:
            actions.push_back(lock({{mine, mode()}}, timeout()));
            break;
          case 2:
            actions.push_back(just(Kind::release));
            break;
          default:
            actions.push_back(just(Kind::downgrade));
            break;
        }
      }
      actions.push_back(hold());
      return actions;
    });
  }
  // Owners with several tasks, in one process and in processes that inherited them.
  Plan owners() {
    Plan plan = tree();
    plan.scenario = "owners";
    for (ClientPlan& client : plan.clients) {
      for (Task& task : client.tasks) {
        if (!random_->chance(0.4)) continue;
        task.owner = static_cast<int>(random_->below(2));
        task.inherited = random_->chance(0.5);
      }
    }
    return plan;
  }
  // Two jobs that name one partition with its columns in another order.
  Plan columns() {
    return plan("columns", 4, 2, [this] {
      std::vector<Action> actions{hold()};
      const auto rounds = random_->between(1, 2);
      for (int round = 0; round < rounds; ++round) {
        const auto hour = random_->pick<std::string>({"1", "2"});
        PartitionSpec spec = random_->chance(0.2)   ? table()
                             : random_->chance(0.5) ? day("1").with("hr", hour)
                                                    : table().with("hr", hour).with("dt", "1");
        actions.push_back(lock({{std::move(spec), mode()}}, timeout()));
        actions.push_back(hold());
        actions.push_back(just(Kind::release));
      }
      return actions;
    });
  }
  Plan mixed() {
    return plan("mixed", 4, 3, [this] {
      std::vector<Action> actions{hold()};
      const auto steps = random_->between(2, 6);
      for (int step = 0; step < steps; ++step) {
        switch (random_->below(6)) {
          case 0:
          case 1:
          case 2: {
            Action wait = lock(set_of(3, [this] { return any_resource(); }), timeout());
            if (random_->chance(0.15)) wait.cancel_after = length();
            actions.push_back(std::move(wait));
            break;
          }
          case 3:
            actions.push_back(just(Kind::release));
            break;
          case 4:
            actions.push_back(just(Kind::downgrade));
            break;
          default:
            actions.push_back(hold());
            break;
        }
      }
      actions.push_back(hold());
      return actions;
    });
  }

 private:
  Random* random_;
  const Faults* faults_;
};

}  // namespace

const std::vector<std::string>& scenarios() {
  static const std::vector<std::string> names{"single",    "vigil",    "tree",     "sets",
                                              "impatient", "sequence", "upgrades", "owners",
                                              "columns",   "mixed"};
  return names;
}

Plan make_plan(const std::string& scenario, Random& random, const Faults& faults) {
  Planner planner(random, faults);
  if (scenario == "single") return planner.single();
  if (scenario == "vigil") return planner.vigil();
  if (scenario == "tree") return planner.tree();
  if (scenario == "sets") return planner.sets();
  if (scenario == "impatient") return planner.impatient();
  if (scenario == "sequence") return planner.sequence();
  if (scenario == "upgrades") return planner.upgrades();
  if (scenario == "owners") return planner.owners();
  if (scenario == "columns") return planner.columns();
  return planner.mixed();
}

}  // namespace locker::simulation
