#include "cli/run/locked_run.h"

#include <algorithm>
#include <csignal>

#include <poll.h>
#include <sys/wait.h>

#include <locker/text.h>

#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/run/acquirer.h"
#include "cli/run/hook.h"
#include "cli/run/keeper.h"
#include "cli/run/metrics_file.h"
#include "cli/run/once.h"
#include "cli/run/running_command.h"
#include "cli/run/signals.h"
#include "cli/run/terminal.h"
#include "cli/run/wait_display.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How long a cancelled wait may take to leave the queue; past it the process's end does it.
constexpr milliseconds leave_within{2000};
// From TERM to KILL after a loss, where there is no session time-out or a long one.
constexpr milliseconds longest_grace{5000};

milliseconds since(steady_clock::time_point begin) {
  return std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
}

bool is_loss(const Error& error) {
  return error.errc == Errc::lost || error.errc == Errc::fenced;
}

class LockedRun {
 public:
  LockedRun(Call& call, RunPlan plan)
      : call_(call), plan_(std::move(plan)), resource_(members_text(plan_.members)) {}

  int run() {
    keeper_ = fork_keeper(plan_.command, inherited_, terminal_);
    if (keeper_.process < 0) {
      return call_.voice.fail(make_error(Errc::unavailable, "no process or descriptor is left"));
    }
    // A closed stderr must not end the run.
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGCHLD, SIG_DFL);
    const sigset_t passed = passed_signals(inherited_);
    block_signals(passed);
    signals_ = signal_descriptor(passed);
    const int code = locked();
    // A keeper that never started anything goes when its link does.
    keeper_.link.close();
    ::waitpid(keeper_.process, nullptr, 0);
    hook_.wait();
    write_figures(code);
    // Ctrl-C went to the command's group alone; whoever stands in ours, as a calling script, waits
    // for its own.
    if (interrupt_ != 0) ::kill(0, interrupt_);
    return code;
  }

 private:
  LockRequest request() const {
    LockRequest request;
    request.url = call_.settings.text("url");
    request.open = open_options(call_.settings);
    // Whoever waits wants to know what runs, not that a locker runs it.
    const std::string& program = plan_.command.front();
    request.open.command = program.substr(program.rfind('/') + 1);
    request.members = plan_.members;
    request.timeout = plan_.timeout;
    request.owner = plan_.owner;
    request.reason = plan_.reason;
    request.tell_status = !call_.settings.yes("quiet") && !call_.voice.json();
    return request;
  }

  int locked() {
    begun_ = steady_clock::now();
    Acquirer acquirer(request(), call_.voice);
    const int signal = await_grant(acquirer);
    figures_.waited = since(begun_);
    if (signal != 0) return cancelled(acquirer, signal);
    Result<LockHandle> handle = acquirer.take_handle();
    if (!handle) return not_granted(std::move(handle).error());
    return granted(*acquirer.locker(), *handle);
  }

  // Waits for the end of the acquiring or a signal; the signal, or 0.
  int await_grant(Acquirer& acquirer) {
    WaitDisplay display(resource_, call_.settings.yes("quiet") || call_.voice.json());
    while (!acquirer.done()) {
      pollfd watched[] = {{acquirer.notice().descriptor(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
      ::poll(watched, std::size(watched), display.next_in_ms());
      if (watched[0].revents != 0) acquirer.notice().take();
      if (const std::optional<WaitStatus> status = acquirer.take_status()) display.update(*status);
      display.tick();
      if (watched[1].revents == 0) continue;
      if (const int signal = next_signal(signals_); signal != 0) return signal;
    }
    return next_signal(signals_);
  }

  // The command never starts and nothing stays in the queue.
  int cancelled(Acquirer& acquirer, int signal) {
    acquirer.cancel();
    const auto until = steady_clock::now() + leave_within;
    while (!acquirer.done() && steady_clock::now() < until) {
      pollfd watched{acquirer.notice().descriptor(), POLLIN, 0};
      ::poll(&watched, 1, static_cast<int>(leave_within.count()));
      acquirer.notice().take();
    }
    figures_.result = "cancelled";
    call_.voice.say("ended by " + signal_name(signal) + " while waiting for " + resource_ +
                    "; nothing was run");
    const int code = exit_signal_base + signal;
    if (!acquirer.done()) {
      write_figures(code);
      ::_exit(code);
    }
    Result<LockHandle> handle = acquirer.take_handle();
    if (handle) [[maybe_unused]]
      const Result<void> let_go = handle->unlock();
    return code;
  }

  int not_granted(Error error) {
    error = explain_open_error(call_.settings, std::move(error));
    const int code = call_.voice.fail(error, call_.settings.number("conflict_exit_code"));
    figures_.result = error.errc == Errc::timeout ? "timeout" : "error";
    if (error.errc == Errc::lost) figures_.result = "lost";
    if (error.errc == Errc::timeout) {
      hook_ = Hook(call_.settings.text("on_timeout"), event_json("timeout", error));
    }
    return code;
  }

  int granted(PartitionLocker& locker, LockHandle& handle) {
    call_.voice.info("granted " + resource_ + " after " + waited_text(figures_.waited) +
                     ", token " + handle.token().to_string());
    OnceRecord once(locker, handle);
    if (plan_.once) {
      Result<std::optional<std::string>> before = once.done_before();
      if (!before) return call_.voice.fail(before.error());
      if (*before) {
        call_.voice.say(**before + "; skipped");
        figures_.result = "skipped";
        return plan_.once_code;
      }
    }
    held_since_ = steady_clock::now();
    CommandEnd end = run_command(locker, handle);
    interrupt_ = end.interrupted_by;
    figures_.held = since(held_since_);
    if (end.lost) return gave_up(handle, end);
    // A lease that is valid now was so all the time; what becomes of the session later is nothing
    // to the command.
    const milliseconds left = handle.valid_for();
    const bool proven = left > milliseconds(0) && left < milliseconds::max();
    Result<void> recorded;
    const bool succeeded = end.exit_code == 0 && end.started;
    if (plan_.once && succeeded) recorded = once.record(plan_.command.front());
    if (!recorded && is_loss(recorded.error())) return lost(recorded.error());
    // Said first: letting go may take its time in a store that can't be written.
    const int unrecorded = recorded ? exit_done : not_recorded(recorded.error());
    const Result<void> let_go = handle.unlock();
    if (!let_go && let_go.error().errc == Errc::lost && !proven) return lost(let_go.error());
    if (!recorded) return unrecorded;
    figures_.result = succeeded ? "done" : "failed";
    return end.exit_code;
  }

  // The command was ended because the lock is lost. Nobody waits for the store to confirm that it
  // is let go: the store may be what is out of reach.
  int gave_up(LockHandle& handle, const CommandEnd& end) {
    const Pending<void> confirmed = handle.async_unlock();
    static_cast<void>(confirmed);
    figures_.lost = true;
    figures_.result = "lost";
    return end.exit_code;
  }

  CommandEnd run_command(PartitionLocker& locker, LockHandle& handle) {
    const sigset_t job_control = signal_set({SIGTSTP, SIGCONT});
    const sigset_t output = signal_set({SIGTTOU});
    // From here on a stop is the command's before it is ours, and nothing that we say stops us.
    block_signals(job_control);
    block_signals(output);
    sigset_t all = passed_signals(inherited_);
    ::sigaddset(&all, SIGTSTP);
    ::sigaddset(&all, SIGCONT);
    RunOrders orders;
    orders.lock = {handle.id(), handle.members(), handle.token(),
                   plan_.owner, locker.url(),     locker.session_timeout()};
    if (tokens_too_long(orders.lock)) {
      call_.voice.say("so many members that LOCKER_TOKENS is left out of the environment");
    }
    orders.liveness_descriptor = locker.liveness_descriptor();
    orders.detach_children = call_.settings.yes("detach_children");
    orders.stopping_time = locker.stopping_time();
    orders.grace = std::min(longest_grace, orders.stopping_time.value_or(longest_grace));
    orders.on_lost = [this](const Error& error) {
      hook_ = Hook(call_.settings.text("on_lost"), event_json("lost", error));
    };
    orders.ask_whether_lost = [this, &locker, &handle, stopping = orders.stopping_time] {
      // Whoever breaks this lock waits for longer than the lease lasts.
      if (stopping) return handle.valid_for() <= *stopping;
      const Result<std::vector<Contender>> answered = locker.blockers(plan_.members, plan_.owner);
      return !answered && answered.error().errc == Errc::lost;
    };
    RunningCommand command(std::move(keeper_), plan_.command.front(), terminal_,
                           signal_descriptor(all), call_.voice);
    return command.run(handle, std::move(orders));
  }

  // The lock was gone when the command had ended: nobody knows whether another one wrote meanwhile.
  int lost(const Error& error) {
    figures_.lost = true;
    figures_.result = "lost";
    hook_ = Hook(call_.settings.text("on_lost"), event_json("lost", error));
    call_.voice.fail(error);
    return exit_lost;
  }

  // The lock was held to the end, but a later run with --once will not know of this one.
  int not_recorded(const Error& error) {
    figures_.result = "error";
    return call_.voice.fail(
        make_error(Errc::unavailable,
                   "the command succeeded, but its success could not be recorded, so --once would "
                   "run it again: " +
                       error.message));
  }

  std::string event_json(std::string_view event, const Error& error) const {
    std::vector<std::string> resources;
    for (const LockMember& member : plan_.members) {
      resources.push_back(member.resource.to_string());
    }
    JsonObject object;
    object.text("event", event)
        .raw("resources", json_strings(resources))
        .text("message", error.message)
        .number("waited_ms", figures_.waited.count());
    if (error.detail != nullptr) {
      object.raw("holders", contenders_json(error.detail->holders))
          .number("place", error.detail->place);
    }
    return object.take();
  }

  void write_figures(int code) {
    const std::string& path = call_.settings.text("metrics_file");
    if (path.empty()) return;
    const PartitionSpec& first = plan_.members.front().resource;
    figures_.table = first.database() + (first.table().empty() ? "" : "." + first.table());
    figures_.exit_code = code;
    const Result<void> written = write_metrics(path, figures_);
    if (!written) call_.voice.warn(written.error().message);
  }

  Call& call_;
  RunPlan plan_;
  std::string resource_;
  InheritedSignals inherited_;
  Terminal terminal_;
  KeeperProcess keeper_;
  Descriptor signals_;
  steady_clock::time_point begun_;
  steady_clock::time_point held_since_;
  RunFigures figures_;
  Hook hook_;
  int interrupt_ = 0;
};

}  // namespace

int run_locked(Call& call, RunPlan plan) {
  return LockedRun(call, std::move(plan)).run();
}

}  // namespace locker::cli
