#pragma once

#include <memory>
#include <vector>

#include "runtime/engine.h"

#include "backend.h"
#include "plan.h"
#include "truth.h"

namespace locker::simulation {

// One process with a locker, on a machine of its own, and the tasks that it works on. The locker is
// the library's own: the very code that users run.
class Client {
 public:
  Client(World& world, Truth& truth, int number, ClientPlan plan, std::vector<Owner>& owners);

  void start();
  // Whether every task has ended.
  bool done() const { return machine_->crashed() || (started_ && running_ == 0); }
  // Its process dies, wherever it is.
  void crash();
  // The locker is closed; `stopped` once that is done.
  void stop();
  bool stopped() const { return machine_->crashed() || stopped_; }
  Machine& machine() { return *machine_; }
  int number() const { return number_; }

 private:
  awaitable<void> open();
  awaitable<void> work(Task task, Owner owner);
  awaitable<void> close();
  awaitable<Result<runtime::GrantPtr>> lock(Action action, Owner owner);
  awaitable<void> release(runtime::GrantPtr grant);
  awaitable<void> sleep(Time length);
  void cancel_later(const runtime::AttemptPtr& attempt, int number, Time after);
  void say(const std::string& what);

  World* world_;
  Truth* truth_;
  int number_;
  ClientPlan plan_;
  std::vector<Owner>* owners_;
  std::shared_ptr<Machine> machine_;
  std::shared_ptr<ModelBackend> backend_;
  runtime::EnginePtr engine_;
  bool started_ = false;
  bool stopped_ = false;
  int running_ = 0;
};

}  // namespace locker::simulation
