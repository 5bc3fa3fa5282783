#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include <boost/asio/io_context.hpp>

#include "runtime/clock.h"

#include "random.h"
#include "schedule.h"

namespace locker::simulation {

// The machine that one client runs on: its clocks, and whether its processes run at all. Whatever
// reaches a client goes through `deliver`, so a stopped one sees nothing and does nothing, while
// true time goes on.
class Machine : public runtime::Clock {
 public:
  // `rate` is how fast its clocks go, compared with true time.
  Machine(boost::asio::io_context& context, Schedule& schedule, Random& random, double rate);

  runtime::SteadyTime now() const override;
  runtime::BootTime boot_now() const override;
  std::chrono::system_clock::time_point wall_now() const override;
  [[nodiscard]] runtime::Alarm wake_at(runtime::Deadline deadline,
                                       const runtime::EventPtr& event) override;
  runtime::EventPtr make_event() override;

  // Does `action` on this machine at `at`, or when it runs again.
  void deliver(Time at, std::function<void()> action);
  // Stops everything for so long. Asleep, its steady clock stops too and its boot clock does not.
  void pause(Time length, bool asleep);
  bool paused() const { return paused_; }
  // Somebody sets the wall clock.
  void jump_wall(Time by) { wall_offset_ += by; }
  // No message gets to it or from it before `until`.
  void cut(Time until) { cut_until_ = until; }
  Time cut_until() const { return cut_until_; }
  // It is hit by no further fault.
  void settle() { settled_at_ = now(); }
  std::optional<runtime::SteadyTime> settled_at() const { return settled_at_; }
  // It is gone, with every process on it: nothing happens there any more.
  void crash() { crashed_ = true; }
  bool crashed() const { return crashed_; }
  // When it last began to run again.
  runtime::SteadyTime ran_since() const { return ran_since_; }

  // Called at every delivery before it is done: the place where a fault may stop the machine.
  std::function<void()> before_delivery;

  boost::asio::any_io_executor executor() { return context_->get_executor(); }

 private:
  struct Parcel {
    std::function<void()> action;
    bool alarm;
  };

  void arrive(Parcel parcel);
  void ring_at(runtime::Deadline deadline, std::weak_ptr<void> alarm,
               std::weak_ptr<runtime::Event> event);
  void wake_up();
  Time local(Time true_length) const;
  Time steady_true() const;

  boost::asio::io_context* context_;
  Schedule* schedule_;
  Random* random_;
  double rate_;
  Time boot_offset_;
  Time steady_offset_;
  Time wall_offset_ = 0;
  Time asleep_total_ = 0;
  Time asleep_since_ = -1;
  Time cut_until_ = 0;
  bool paused_ = false;
  bool crashed_ = false;
  std::optional<runtime::SteadyTime> settled_at_;
  runtime::SteadyTime ran_since_;
  std::deque<Parcel> parcels_;
};

}  // namespace locker::simulation
