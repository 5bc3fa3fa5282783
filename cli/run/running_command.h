#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <locker/lock_handle.h>

#include "cli/run/child_environment.h"
#include "cli/run/keeper.h"
#include "cli/run/notice.h"
#include "cli/voice.h"

namespace locker::cli {

// How a command under the lock came to its end.
struct CommandEnd {
  int exit_code = 0;
  bool started = true;        // false: it could not be executed
  std::optional<Error> lost;  // the lock was lost before everything had ended
  int interrupted_by = 0;     // INT or QUIT, if the terminal's key ended the command
};

// What a command is run with.
struct RunOrders {
  ChildLock lock;
  int liveness_descriptor = -1;
  bool detach_children = false;
  // How long before its end a lease ends the command; nothing: there is no lease.
  std::optional<std::chrono::milliseconds> stopping_time;
  // From TERM to KILL once the lock is broken.
  std::chrono::milliseconds grace{5000};
  std::function<void(const Error&)> on_lost;  // called once, when TERM has been sent
  // Asks whether the lock is lost, or its lease so old that the keeper ends the command.
  std::function<bool()> ask_whether_lost;
};

// Runs the command that the keeper was forked for, while the lock is held: passes signals to its
// group, shares the terminal with it, ends it when the lock is lost, and returns once the last
// process below it has ended (or the command itself, to detach children).
class RunningCommand {
 public:
  RunningCommand(KeeperProcess keeper, const std::string& command_name, const Terminal& terminal,
                 Descriptor signals, const Voice& voice);

  CommandEnd run(LockHandle& handle, RunOrders orders);

 private:
  // 0, or the error number that kept the orders from the keeper.
  int start(const RunOrders& orders);
  void hear_signals();
  void hear_keeper();
  void hear_packet(const LinkMessage& message);
  void watch_lease(LockHandle& handle);
  void check_lost();
  void hear_of_loss(const Error& why);
  void lease_ends();
  void tell_lost(const Error& why);
  void end_at_once();
  void not_started(int problem);
  void command_failed(int problem);
  void command_stopped(int signal);
  void command_ended(int exit_code);
  void keeper_died();
  bool take_terminal_back();
  void resume();
  int next_in_ms() const;

  KeeperProcess keeper_;
  KeeperLink link_;
  std::string command_name_;
  const Terminal& terminal_;
  Descriptor signals_;
  const Voice& voice_;

  // Outlives this object: the library may tell of the loss at any time.
  struct Loss {
    Notice notice;
    std::mutex mutex;
    std::optional<Error> error;
  };
  std::shared_ptr<Loss> loss_ = std::make_shared<Loss>();

  RunOrders orders_;
  CommandEnd end_;
  pid_t group_ = 0;
  bool over_ = false;
  bool passed_any_ = false;
  std::optional<std::chrono::steady_clock::time_point> kill_at_;
};

}  // namespace locker::cli
