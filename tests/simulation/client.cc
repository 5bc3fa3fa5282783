#include "client.h"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace locker::simulation {

using runtime::AttemptPtr;
using runtime::Deadline;
using runtime::EventPtr;
using runtime::GrantPtr;
using runtime::Milliseconds;

Client::Client(World& world, Truth& truth, int number, ClientPlan plan, std::vector<Owner>& owners)
    : world_(&world), truth_(&truth), number_(number), plan_(std::move(plan)), owners_(&owners) {
  // Rates differ by less than the tenth that the lease leaves for them.
  const double rate = world_->random.chance(0.5)
                          ? 1.0
                          : static_cast<double>(world_->random.between(92, 108)) / 100.0;
  machine_ = std::make_shared<Machine>(world_->context, world_->schedule, world_->random, rate);
  backend_ = std::make_shared<ModelBackend>(world, machine_);
  runtime::EngineOptions options;
  options.self.host = "host" + std::to_string(number);
  options.self.pid = 100 + number;
  engine_ = std::make_shared<runtime::Engine>(machine_->executor(), machine_, backend_, options);
}

void Client::say(const std::string& what) {
  if (truth_->trace) truth_->trace("client " + std::to_string(number_) + " " + what);
}

void Client::start() {
  boost::asio::co_spawn(machine_->executor(), open(), boost::asio::detached);
}

awaitable<void> Client::open() {
  while (true) {
    const Result<void> open = co_await engine_->start();
    if (open) break;
    co_await sleep(millisecond);
  }
  started_ = true;
  for (const Task& task : plan_.tasks) {
    ++running_;
    const Owner& original = (*owners_)[static_cast<std::size_t>(task.owner)];
    const Owner owner = task.inherited ? *Owner::parse(original.to_string()) : original;
    boost::asio::co_spawn(machine_->executor(), work(task, owner), boost::asio::detached);
  }
}

awaitable<void> Client::sleep(Time length) {
  const EventPtr event = machine_->make_event();
  const Deadline deadline = machine_->after(Milliseconds(length / millisecond));
  const runtime::Alarm alarm = machine_->wake_at(deadline, event);
  co_await event->wait();
}

awaitable<void> Client::work(Task task, Owner owner) {
  std::vector<GrantPtr> held;
  bool goes_on = true;
  for (const Action& action : task.actions) {
    if (!goes_on) break;
    if (action.kind == Action::Kind::hold) {
      const Time length = action.length;
      co_await sleep(length);
    }
    if (action.kind == Action::Kind::lock) {
      const Action asked = action;
      Result<GrantPtr> granted = co_await lock(asked, owner);
      if (granted) held.push_back(*granted);
      // A victim lets go of what it holds; so does whoever lost something.
      goes_on =
          granted || (granted.error().errc != Errc::deadlock && granted.error().errc != Errc::lost);
    }
    if (action.kind == Action::Kind::downgrade && !held.empty()) {
      const GrantPtr grant = held.front();
      say("downgrades " + grant->request().owner.reason);
      const Result<void> lowered = co_await engine_->downgrade(grant);
      if (lowered) truth_->lowers();
      say(std::string("downgrade ") + (lowered ? "done" : lowered.error().message));
    }
    if (action.kind == Action::Kind::release && !held.empty()) {
      const GrantPtr grant = held.back();
      held.pop_back();
      co_await release(grant);
    }
  }
  while (!held.empty()) {
    const GrantPtr grant = held.back();
    held.pop_back();
    co_await release(grant);
  }
  --running_;
}

awaitable<void> Client::release(GrantPtr grant) {
  const std::string name = grant->request().owner.reason;
  say("releases " + name);
  truth_->releases(grant);
  const Result<void> released = co_await engine_->release(grant);
  say("release of " + name + ": " + (released ? "done" : released.error().message));
  if (!released && released.error().errc == Errc::invalid) {
    truth_->fail("release: " + name + " was held and could not be released");
  }
}

awaitable<Result<GrantPtr>> Client::lock(Action action, Owner owner) {
  Asked asked;
  asked.client = number_;
  asked.owner = owner.id();
  asked.members = action.members;
  asked.timeout = action.timeout;
  asked.began = machine_->now();
  asked.inherited = owner.inherited();
  const int number = truth_->asks(std::move(asked));
  const AttemptPtr attempt = engine_->make_attempt();
  attempt->members = action.members;
  attempt->owner = owner;
  attempt->reason = reason_of(number);
  attempt->timeout = action.timeout;
  attempt->tries = action.timeout == Milliseconds::zero();
  std::string what;
  for (const LockMember& member : action.members) {
    what += " " + member.resource.to_string() + ":" + std::string(name_of(member.mode));
  }
  say("asks " + attempt->reason + " of " + owner.id().substr(0, 4) + what + " within " +
      std::to_string(action.timeout.count()));
  if (action.cancel_after >= 0) cancel_later(attempt, number, action.cancel_after);
  Result<GrantPtr> answer = co_await engine_->acquire(attempt);
  say("has " + attempt->reason + ": " +
      (answer ? "granted as " + (*answer)->request().id.substr(0, 4) : answer.error().message));
  truth_->answers(number, answer, *machine_);
  co_return answer;
}

void Client::cancel_later(const AttemptPtr& attempt, int number, Time after) {
  machine_->deliver(world_->schedule.now() + after, [this, attempt, number] {
    if (attempt->over() || truth_->asked(number).answered) return;
    say("cancels " + attempt->reason);
    truth_->asked(number).cancelled = machine_->now();
    engine_->cancel(attempt);
  });
}

void Client::crash() {
  say("crashes");
  machine_->crash();
  truth_->crashes(number_);
}

void Client::stop() {
  boost::asio::co_spawn(machine_->executor(), close(), boost::asio::detached);
}

awaitable<void> Client::close() {
  co_await engine_->stop();
  stopped_ = true;
}

}  // namespace locker::simulation
