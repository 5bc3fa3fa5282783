#include "cli/run/hook.h"

#include <csignal>

#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "cli/run/signals.h"

extern char** environ;

namespace locker::cli {
namespace {

constexpr int longest_ms = 30'000;

}  // namespace

Hook::Hook(const std::string& command, const std::string& json) {
  if (command.empty()) return;
  Descriptor input(::memfd_create("locker-event", MFD_CLOEXEC));
  const std::string line = json + "\n";
  if (::write(input.get(), line.data(), line.size()) < 0) return;
  ::lseek(input.get(), 0, SEEK_SET);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  const sigset_t none = signal_set({});
  const sigset_t usual = signal_set({SIGPIPE, SIGCHLD});
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string shell = "sh";
  std::string flag = "-c";
  std::string text = command;
  char* words[] = {shell.data(), flag.data(), text.data(), nullptr};
  pid_t process = 0;
  if (::posix_spawn(&process, "/bin/sh", &files, &attributes, words, environ) == 0) {
    process_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  }
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
}

void Hook::wait() {
  if (!process_.open()) return;
  pollfd watched{process_.get(), POLLIN, 0};
  if (::poll(&watched, 1, longest_ms) == 0) {
    ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  }
  siginfo_t info{};
  ::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &info, WEXITED);
  process_.close();
}

}  // namespace locker::cli
