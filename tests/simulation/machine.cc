#include "machine.h"

#include <algorithm>
#include <utility>

namespace locker::simulation {

using runtime::Milliseconds;

namespace {

// A moment in 2023, for people to read.
constexpr std::int64_t wall_start_ms = 1'683'000'000'000;

}  // namespace

Machine::Machine(boost::asio::io_context& context, Schedule& schedule, Random& random, double rate)
    : context_(&context),
      schedule_(&schedule),
      random_(&random),
      rate_(rate),
      boot_offset_(random.between(0, 1'000'000'000'000)),
      steady_offset_(random.between(0, 1'000'000'000'000)) {
  ran_since_ = now();
}

Time Machine::local(Time true_length) const {
  return static_cast<Time>(static_cast<double>(true_length) * rate_);
}

Time Machine::steady_true() const {
  const Time asleep_now = asleep_since_ < 0 ? 0 : schedule_->now() - asleep_since_;
  return schedule_->now() - asleep_total_ - asleep_now;
}

runtime::SteadyTime Machine::now() const {
  return runtime::SteadyTime(Milliseconds((steady_offset_ + local(steady_true())) / millisecond));
}

runtime::BootTime Machine::boot_now() const {
  return runtime::BootTime(Milliseconds((boot_offset_ + local(schedule_->now())) / millisecond));
}

std::chrono::system_clock::time_point Machine::wall_now() const {
  const Time since_start = local(schedule_->now()) + wall_offset_;
  return std::chrono::system_clock::time_point(
      Milliseconds(wall_start_ms + since_start / millisecond));
}

runtime::Alarm Machine::wake_at(runtime::Deadline deadline, const runtime::EventPtr& event) {
  if (deadline.never()) return nullptr;
  auto alarm = std::make_shared<int>(0);
  ring_at(deadline, alarm, event);
  return alarm;
}

void Machine::ring_at(runtime::Deadline deadline, std::weak_ptr<void> alarm,
                      std::weak_ptr<runtime::Event> event) {
  const Time left = std::max<Time>((deadline.at - now()).count(), 0);
  // An alarm is never early by its own clock, and sometimes quite late.
  const Time late = random_->chance(0.1) ? random_->between(0, 50 * millisecond)
                                         : random_->between(0, millisecond);
  const auto true_left = static_cast<Time>(static_cast<double>((left + 1) * millisecond) / rate_);
  auto ring = [this, deadline, alarm, event] {
    const runtime::EventPtr listener = event.lock();
    if (listener == nullptr || alarm.expired()) return;
    // A machine that slept is not where its clock was to be.
    if (now() < deadline.at) {
      ring_at(deadline, alarm, event);
    } else {
      listener->set();
    }
  };
  schedule_->at(schedule_->now() + true_left + late,
                [this, alarm, ring = std::move(ring)]() mutable {
                  if (!alarm.expired()) arrive({std::move(ring), true});
                });
}

runtime::EventPtr Machine::make_event() {
  return std::make_shared<runtime::Event>(context_->get_executor());
}

void Machine::deliver(Time at, std::function<void()> action) {
  schedule_->at(at, [this, action = std::move(action)]() mutable {
    arrive({std::move(action), false});
  });
}

void Machine::arrive(Parcel parcel) {
  if (crashed_) return;
  if (!paused_ && !settled_at_.has_value() && before_delivery) before_delivery();
  if (paused_) {
    parcels_.push_back(std::move(parcel));
  } else {
    parcel.action();
  }
}

void Machine::pause(Time length, bool asleep) {
  if (paused_ || settled_at_.has_value()) return;
  paused_ = true;
  if (asleep) asleep_since_ = schedule_->now();
  schedule_->at(schedule_->now() + length, [this] { wake_up(); });
}

void Machine::wake_up() {
  paused_ = false;
  if (asleep_since_ >= 0) asleep_total_ += schedule_->now() - asleep_since_;
  asleep_since_ = -1;
  ran_since_ = now();
  // What piled up is read one by one, messages in their order, alarms before or after them.
  if (random_->chance(0.5)) {
    std::ranges::stable_partition(parcels_, [](const Parcel& parcel) { return parcel.alarm; });
  }
  Time at = schedule_->now();
  for (Parcel& parcel : std::exchange(parcels_, {})) {
    at += random_->between(0, 500);
    schedule_->at(at, [this, parcel = std::move(parcel)]() mutable { arrive(std::move(parcel)); });
  }
}

}  // namespace locker::simulation
