#include "cli/run/keeper.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "cli/run/process_tree.h"

namespace locker::cli {
namespace {

// While it ends what is left, it looks again that often for those who forked meanwhile.
constexpr int look_again_ms = 20;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

class Keeper {
 public:
  Keeper(std::vector<std::string> command, const InheritedSignals& inherited,
         const Terminal& terminal, std::shared_ptr<const SharedLease> lease, Descriptor link,
         Descriptor locker)
      : command_(std::move(command)),
        inherited_(inherited),
        terminal_(terminal),
        lease_(std::move(lease)),
        link_(std::move(link)),
        locker_(std::move(locker)) {}

  [[noreturn]] void keep() {
    prepare();
    for (;;) {
      pollfd watched[] = {{link_.descriptor(), POLLIN, 0},
                          {locker_.get(), POLLIN, 0},
                          {ended_.get(), POLLIN, 0},
                          {executed_.get(), POLLIN, 0},
                          {lease_alarm_.get(), POLLIN, 0}};
      ::poll(watched, std::size(watched), ending_ ? look_again_ms : -1);
      // Whoever wakes up late ends the command before it looks at anything else.
      check_lease();
      // A locker that died is seen here first, so that no message of its can start anything.
      if (watched[1].revents != 0) locker_died();
      if (watched[0].revents != 0) answer();
      if (watched[3].revents != 0) hear_of_exec();
      while (next_signal(ended_) != 0) {
      }
      reap();
      if (ending_) kill_children(group_);
    }
  }

 private:
  void prepare() {
    // A group of its own: whoever kills locker's group does not kill the keeper with it.
    ::setpgid(0, 0);
    // Nor does `pkill locker`, which ends what has that word in its name.
    ::prctl(PR_SET_NAME, "lock-keeper", 0UL, 0UL, 0UL);
    adopt_orphans();
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::signal(SIGCHLD, SIG_DFL);
    ended_ = signal_descriptor(signal_set({SIGCHLD}));
    lease_alarm_ = Descriptor(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  }

  // Sleeps until the lease needs a look: it may have been renewed meanwhile.
  void set_lease_alarm(std::chrono::milliseconds at) const {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
    itimerspec alarm{};
    alarm.it_value.tv_sec = seconds.count();
    alarm.it_value.tv_nsec = std::chrono::nanoseconds(at - seconds).count();
    ::timerfd_settime(lease_alarm_.get(), TFD_TIMER_ABSTIME, &alarm, nullptr);
  }

  void check_lease() {
    if (group_ == 0 || ending_) return;
    const std::chrono::milliseconds now = boot_time();
    if (!kill_at_) watch_lease(now);
    if (!kill_at_ || now < *kill_at_) return;
    ending_ = true;
    kill_children(group_);
    // It would be readable from now on.
    lease_alarm_.close();
  }

  void watch_lease(std::chrono::milliseconds now) {
    const std::optional<LeaseEnd> end = lease_->end();
    if (!end) return;
    if (now < end->stop_at) return set_lease_alarm(end->stop_at);
    link_.send({LinkKind::lease_ends, 0, 0});
    // Who slept through half of the time to stop lets nothing run any more.
    const bool late = now - end->stop_at > (end->until - end->stop_at) / 2;
    kill_at_ = late ? now : end->until;
    if (late) return;
    pass(SIGTERM);
    pass(SIGCONT);
    // Contact that comes back now puts nothing off: the command has been told.
    set_lease_alarm(*kill_at_);
  }

  void locker_died() {
    ending_ = true;
    // It says nothing more; poll passes over closed descriptors.
    locker_.close();
  }

  void answer() {
    std::optional<LinkPacket> packet = link_.receive();
    if (!packet) {
      locker_died();
      link_ = KeeperLink(Descriptor());
      return;
    }
    const LinkMessage& message = packet->message;
    switch (message.kind) {
      case LinkKind::start:
        if (!ending_) start(*packet);
        break;
      case LinkKind::pass:
        pass(message.value);
        break;
      case LinkKind::end_all:
        ending_ = true;
        break;
      case LinkKind::let_go:
        ::_exit(0);
      case LinkKind::started:
      case LinkKind::failed:
      case LinkKind::stopped:
      case LinkKind::ended:
      case LinkKind::lease_ends:
      case LinkKind::gone:
        break;
    }
  }

  void start(LinkPacket& packet) {
    // The kernel drops those that are over the limit of open files; and a lease needs its alarm.
    const std::optional<LeaseEnd> lease = lease_->end();
    const bool unwatched = lease && !lease_alarm_.open();
    if (static_cast<int>(packet.descriptors.size()) < packet.message.value || unwatched) {
      link_.send({LinkKind::failed, EMFILE, 0});
      ::_exit(0);
    }
    // A locker that was stopped before it sent this may hold nothing any more.
    if (lease && boot_time() >= lease->stop_at) {
      link_.send({LinkKind::lease_ends, 0, 0});
      link_.send({LinkKind::gone, 0, 0});
      ::_exit(0);
    }
    std::vector<std::string> environment = unpack_lines(packet.descriptors[0]);
    if (packet.descriptors.size() > 1) life_ = std::move(packet.descriptors[1]);
    int ends[2] = {-1, -1};
    const pid_t keeper = ::getpid();
    const pid_t child = ::pipe2(ends, O_CLOEXEC) == 0 ? ::fork() : -1;
    if (child == 0) become_command(keeper, environment, packet.message.detail != 0, ends[1]);
    if (child < 0) {
      link_.send({LinkKind::failed, errno, 0});
      ::_exit(0);
    }
    ::close(ends[1]);
    executed_ = Descriptor(ends[0]);
    ::setpgid(child, child);
    command_process_ = group_ = child;
    check_lease();
  }

  [[noreturn]] void become_command(pid_t keeper, std::vector<std::string>& environment,
                                   bool takes_terminal, int failure) {
    ::setpgid(0, 0);
    if (takes_terminal) terminal_.give_to(::getpid());
    // A second net, should the keeper be killed. It may be dead already.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
    if (::getppid() != keeper) ::_exit(exit_killed);
    inherited_.restore();
    const std::vector<char*> words = pointers_to(command_);
    const std::vector<char*> variables = pointers_to(environment);
    ::execvpe(words[0], words.data(), variables.data());
    const int problem = errno;
    const ssize_t ignored = ::write(failure, &problem, sizeof problem);
    ::_exit(ignored == sizeof problem ? exit_not_started : exit_killed);
  }

  // The pipe closes when the command runs, and brings a number if it cannot.
  void hear_of_exec() {
    int problem = 0;
    const ssize_t size = ::read(executed_.get(), &problem, sizeof problem);
    executed_.close();
    if (size == static_cast<ssize_t>(sizeof problem)) {
      link_.send({LinkKind::failed, problem, 0});
    } else {
      link_.send({LinkKind::started, command_process_, 0});
    }
  }

  void reap() {
    hear_of_stop();
    hear_of_end();
    for (const pid_t child : children()) {
      if (child != command_process_) ::waitpid(child, nullptr, WNOHANG);
    }
    const bool may_be_over = group_ == 0 ? ending_ : command_ended_;
    if (!may_be_over) return;
    for (const pid_t child : children()) {
      if (child != command_process_) return;
    }
    // The list may have passed over somebody who was born meanwhile; the kernel's own answer does
    // not. Until here the dead command was left unreaped, so that its number is nobody else's.
    pid_t reaped = 0;
    while ((reaped = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (reaped == 0 || errno != ECHILD) return;
    // The keeper's end closes the liveness descriptor: only now may others be granted the lock.
    link_.send({LinkKind::gone, 0, 0});
    ::_exit(0);
  }

  void hear_of_stop() {
    siginfo_t info{};
    if (command_process_ == 0 || command_ended_) return;
    const auto process = static_cast<id_t>(command_process_);
    if (::waitid(P_PID, process, &info, WSTOPPED | WNOHANG) != 0 || info.si_pid == 0) return;
    link_.send({LinkKind::stopped, info.si_status, 0});
  }

  void hear_of_end() {
    siginfo_t info{};
    if (command_process_ == 0 || command_ended_) return;
    const auto process = static_cast<id_t>(command_process_);
    const int flags = WEXITED | WNOHANG | WNOWAIT;
    if (::waitid(P_PID, process, &info, flags) != 0 || info.si_pid == 0) return;
    if (executed_.open()) hear_of_exec();
    command_ended_ = true;
    const bool by_itself = info.si_code == CLD_EXITED;
    link_.send({LinkKind::ended, by_itself ? info.si_status : signal_base + info.si_status, 0});
  }

  void pass(int signal) {
    if (group_ > 0) ::kill(-group_, signal);
    if (!command_ended_) return;
    // Who left the group and was left behind has nobody else to tell it.
    for (const pid_t child : children()) {
      if (::getpgid(child) != group_) ::kill(child, signal);
    }
  }

  static constexpr int signal_base = 128;
  static constexpr int exit_killed = signal_base + SIGKILL;
  static constexpr int exit_not_started = 127;

  std::vector<std::string> command_;
  const InheritedSignals& inherited_;
  const Terminal& terminal_;
  std::shared_ptr<const SharedLease> lease_;
  KeeperLink link_;
  Descriptor locker_;          // a pidfd: readable once locker is dead
  Descriptor ended_;           // SIGCHLD
  Descriptor executed_;        // the pipe that the command's exec closes
  Descriptor life_;            // keeps the session alive
  Descriptor lease_alarm_;     // readable when the lease needs a look
  pid_t group_ = 0;            // the command's group, once it was started
  pid_t command_process_ = 0;  // the command itself
  bool command_ended_ = false;
  bool ending_ = false;                               // everything below is being ended
  std::optional<std::chrono::milliseconds> kill_at_;  // once the lease has ended the command
};

}  // namespace

KeeperProcess fork_keeper(const std::vector<std::string>& command,
                          const InheritedSignals& inherited, const Terminal& terminal) {
  auto [ours, theirs] = make_link();
  Descriptor locker(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  KeeperProcess made;
  made.lease = std::make_shared<SharedLease>();
  if (!ours.open() || !locker.open() || !made.lease->there()) return made;
  made.process = ::fork();
  if (made.process == 0) {
    ours.close();
    Keeper(command, inherited, terminal, made.lease, std::move(theirs), std::move(locker)).keep();
  }
  made.link = std::move(ours);
  return made;
}

}  // namespace locker::cli
