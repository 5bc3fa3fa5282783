#include "cli/run/terminal.h"

#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace locker::cli {

Terminal::Terminal() : device_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {}

pid_t Terminal::holder() const {
  return there() ? ::tcgetpgrp(device_.get()) : -1;
}

bool Terminal::ours() const {
  return there() && holder() == ::getpgrp();
}

void Terminal::give_to(pid_t group) const {
  if (!there()) return;
  // Whoever gives from the background would be stopped, were the signal not blocked meanwhile.
  sigset_t output;
  sigset_t before;
  ::sigemptyset(&output);
  ::sigaddset(&output, SIGTTOU);
  ::sigprocmask(SIG_BLOCK, &output, &before);
  ::tcsetpgrp(device_.get(), group);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

bool has_job_control() {
  if (::getsid(0) == ::getpid()) return false;
  const pid_t parent = ::getppid();
  // Under a script, the script's own group leader answers to the shell; it is in our group.
  return ::getpgrp() != ::getpid() || ::getsid(parent) == ::getsid(0);
}

}  // namespace locker::cli
