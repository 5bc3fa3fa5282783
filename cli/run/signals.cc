#include "cli/run/signals.h"

#include <cstring>

#include <sys/signalfd.h>

namespace locker::cli {

InheritedSignals::InheritedSignals() {
  ::sigprocmask(SIG_SETMASK, nullptr, &mask_);
  ::sigaction(SIGPIPE, nullptr, &pipe_);
  ::sigaction(SIGCHLD, nullptr, &child_);
}

void InheritedSignals::restore() const {
  ::sigaction(SIGPIPE, &pipe_, nullptr);
  ::sigaction(SIGCHLD, &child_, nullptr);
  ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

bool InheritedSignals::ignored(int signal) const {
  struct sigaction present {};
  return ::sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN;
}

sigset_t passed_signals(const InheritedSignals& inherited) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    if (!inherited.ignored(signal)) ::sigaddset(&set, signal);
  }
  return set;
}

sigset_t signal_set(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  return set;
}

Descriptor signal_descriptor(const sigset_t& set) {
  return Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

void block_signals(const sigset_t& set) {
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int next_signal(const Descriptor& descriptor) {
  signalfd_siginfo info{};
  const ssize_t size = ::read(descriptor.get(), &info, sizeof info);
  return size == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo) : 0;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

}  // namespace locker::cli
