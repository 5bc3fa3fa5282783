#include "cli/run/running_command.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <poll.h>
#include <sys/wait.h>

#include <locker/text.h>

#include "cli/exit_codes.h"
#include "cli/run/process_tree.h"
#include "cli/run/signals.h"

namespace locker::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

}  // namespace

RunningCommand::RunningCommand(KeeperProcess keeper, const std::string& command_name,
                               const Terminal& terminal, Descriptor signals, const Voice& voice)
    : keeper_(std::move(keeper)),
      link_(std::move(keeper_.link)),
      command_name_(command_name),
      terminal_(terminal),
      signals_(std::move(signals)),
      voice_(voice) {}

CommandEnd RunningCommand::run(LockHandle& handle, RunOrders orders) {
  orders_ = std::move(orders);
  // Should the keeper be killed, what it kept falls to this process, which ends it.
  adopt_orphans();
  handle.on_lost([loss = loss_](const Error& error) {
    const std::scoped_lock lock(loss->mutex);
    loss->error = error;
    loss->notice.set();
  });
  watch_lease(handle);
  if (const int problem = start(orders_); problem != 0) not_started(problem);
  while (!over_) {
    pollfd watched[] = {{link_.descriptor(), POLLIN, 0},
                        {signals_.get(), POLLIN, 0},
                        {loss_->notice.descriptor(), POLLIN, 0}};
    ::poll(watched, std::size(watched), next_in_ms());
    check_lost();
    if (watched[1].revents != 0) hear_signals();
    if (watched[0].revents != 0) hear_keeper();
  }
  // It went a moment ago, or is about to: it has nothing below it any more.
  ::waitpid(keeper_.process, nullptr, 0);
  check_lost();
  if (end_.lost) end_.exit_code = exit_lost;
  return std::move(end_);
}

int RunningCommand::start(const RunOrders& orders) {
  const Descriptor environment = pack_lines(child_environment(orders.lock));
  if (!environment.open()) return EMFILE;
  std::vector<int> descriptors{environment.get()};
  if (orders.liveness_descriptor >= 0) descriptors.push_back(orders.liveness_descriptor);
  // In a pipeline others of locker's group may need the terminal more; then the command gets it
  // only when it asks for it (see command_stopped).
  const bool alone = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  const int sent = static_cast<int>(descriptors.size());
  const LinkMessage start{LinkKind::start, sent, alone && terminal_.ours() ? 1 : 0};
  return link_.send(start, descriptors) ? 0 : errno;
}

int RunningCommand::next_in_ms() const {
  if (!kill_at_) return -1;
  const auto left = std::chrono::ceil<milliseconds>(*kill_at_ - steady_clock::now());
  return static_cast<int>(std::max<milliseconds::rep>(left.count(), 0));
}

// From the first write on the keeper ends the command by itself when the lease ends.
void RunningCommand::watch_lease(LockHandle& handle) {
  if (!orders_.stopping_time) return;
  keeper_.lease->set_stopping_time(*orders_.stopping_time);
  // The clock first: whoever is stopped between the two must not believe for longer.
  const milliseconds now = boot_time();
  keeper_.lease->put_off(now + handle.valid_for());
  handle.on_renewed([lease = keeper_.lease](milliseconds until) { lease->put_off(until); });
}

void RunningCommand::check_lost() {
  if (loss_->notice.take()) {
    std::optional<Error> why;
    {
      const std::scoped_lock lock(loss_->mutex);
      why = loss_->error;
    }
    hear_of_loss(*why);
  }
  if (kill_at_ && steady_clock::now() >= *kill_at_) {
    kill_at_.reset();
    link_.send({LinkKind::end_all, 0, 0});
  }
}

void RunningCommand::hear_of_loss(const Error& why) {
  // Who breaks a lock gives its holder time. Whoever learns late that a break is over, that the
  // lease is, or that the session was ended has none left: the next one may be writing.
  const bool may_wait =
      orders_.stopping_time ? why.code == "broken" : why.code != "broken_and_removed";
  if (!may_wait) {
    end_at_once();
  } else if (!end_.lost) {
    link_.send({LinkKind::pass, SIGTERM, 0});
    link_.send({LinkKind::pass, SIGCONT, 0});
    kill_at_ = steady_clock::now() + orders_.grace;
  }
  tell_lost(why);
}

// The keeper has begun to end the command.
void RunningCommand::lease_ends() {
  tell_lost(make_error(Errc::lost, "lease_ends",
                       "the store has not confirmed this lock for so long that somebody else may "
                       "soon be granted it: the command is ended before that"));
}

void RunningCommand::tell_lost(const Error& why) {
  if (end_.lost) return;
  end_.lost = why;
  voice_.fail(why);
  if (orders_.on_lost) orders_.on_lost(why);
}

// Beside the keeper, which may be stopped and then goes on to end the rest. While that lives the
// group's number is nobody else's.
void RunningCommand::end_at_once() {
  link_.send({LinkKind::end_all, 0, 0});
  if (!over_) ::kill(keeper_.process, SIGCONT);
  if (group_ > 0 && !over_) ::kill(-group_, SIGKILL);
}

void RunningCommand::hear_signals() {
  for (int signal = next_signal(signals_); signal != 0; signal = next_signal(signals_)) {
    if (signal == SIGCONT) {
      // Who was stopped may have been broken meanwhile: then the command must not run again.
      const bool lost = orders_.ask_whether_lost();
      check_lost();
      if (!lost && !end_.lost) resume();
    } else {
      passed_any_ = true;
      link_.send({LinkKind::pass, signal, 0});
    }
  }
}

void RunningCommand::hear_keeper() {
  const std::optional<LinkPacket> packet = link_.receive();
  if (!packet) return keeper_died();
  hear_packet(packet->message);
}

void RunningCommand::hear_packet(const LinkMessage& message) {
  switch (message.kind) {
    case LinkKind::started:
      group_ = message.value;
      break;
    case LinkKind::failed:
      command_failed(message.value);
      break;
    case LinkKind::stopped:
      command_stopped(message.value);
      break;
    case LinkKind::ended:
      command_ended(message.value);
      break;
    case LinkKind::lease_ends:
      lease_ends();
      break;
    case LinkKind::gone:
      over_ = true;
      break;
    case LinkKind::start:
    case LinkKind::pass:
    case LinkKind::end_all:
    case LinkKind::let_go:
      break;
  }
}

// The keeper never got its orders, so there is no command; it has nothing to live for.
void RunningCommand::not_started(int problem) {
  over_ = true;
  ::kill(keeper_.process, SIGKILL);
  end_.started = false;
  end_.exit_code = exit_cannot_execute;
  voice_.say(command_name_ + ": cannot be started: " + std::strerror(problem));
}

void RunningCommand::command_failed(int problem) {
  const bool absent = problem == ENOENT || problem == ENOTDIR;
  end_.started = false;
  end_.exit_code = absent ? exit_no_such_command : exit_cannot_execute;
  voice_.say(absent ? command_name_ + ": command not found"
                    : command_name_ + ": cannot execute: " + std::strerror(problem));
}

void RunningCommand::command_ended(int exit_code) {
  const bool had_terminal = take_terminal_back();
  const int signal = exit_code - exit_signal_base;
  if (had_terminal && !passed_any_ && (signal == SIGINT || signal == SIGQUIT)) {
    end_.interrupted_by = signal;
  }
  if (end_.started) end_.exit_code = exit_code;
  if (!orders_.detach_children || end_.lost) return;
  link_.send({LinkKind::let_go, 0, 0});
  over_ = true;
}

// As a shell sees its job stop: the terminal goes back, and locker's own group stops as well.
void RunningCommand::command_stopped(int signal) {
  if (!terminal_.there()) return;
  const bool asks = signal == SIGTTIN || signal == SIGTTOU;
  if (asks && terminal_.ours()) return resume();
  const bool had_terminal = take_terminal_back();
  if (has_job_control()) {
    ::kill(0, SIGSTOP);
  } else if (had_terminal && signal != SIGSTOP) {
    // Nobody would ever continue it.
    resume();
  }
}

void RunningCommand::resume() {
  if (group_ > 0 && terminal_.ours()) terminal_.give_to(group_);
  link_.send({LinkKind::pass, SIGCONT, 0});
}

// Whether the command's group had it.
bool RunningCommand::take_terminal_back() {
  const bool had = group_ > 0 && terminal_.there() && terminal_.holder() == group_;
  if (had) terminal_.give_to(::getpgrp());
  return had;
}

void RunningCommand::keeper_died() {
  over_ = true;
  voice_.say("the process that kept the command was killed, so the command was ended");
  const auto look_again = milliseconds(10);
  // It may have closed its end and live on; its number is its own until it is reaped below.
  ::kill(keeper_.process, SIGKILL);
  while (true) {
    kill_children(group_, keeper_.process);
    int status = 0;
    const pid_t reaped = ::waitpid(-1, &status, WNOHANG);
    if (reaped < 0) break;
    if (reaped == 0) ::poll(nullptr, 0, static_cast<int>(look_again.count()));
  }
  take_terminal_back();
  end_.exit_code = exit_signal_base + SIGKILL;
}

}  // namespace locker::cli
