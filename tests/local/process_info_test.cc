#include "runtime/process_info.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/support/test.h"

using namespace locker;
using namespace locker::runtime;

TEST_CASE("L39: a process describes itself by host, pid, start, boot, user and command") {
  const OwnerInfo self = describe_self("nightly");
  CHECK(self.pid == ::getpid());
  CHECK(self.pid_start > 0);
  CHECK(self.boot.size() == 36);
  CHECK(self.boot == boot_id());
  CHECK_FALSE(self.host.empty());
  CHECK_FALSE(self.user.empty());
  CHECK(self.application == "nightly");
  CHECK(self.command.substr(0, 6) == "local_");
  CHECK(self.owner.empty());
  CHECK(self.reason.empty());
}

TEST_CASE("a process lives while its pid, start time and boot are right") {
  OwnerInfo self = describe_self("");
  CHECK(process_alive(self));
  OwnerInfo other = self;
  other.pid_start += 1;
  CHECK_FALSE(process_alive(other));
  other = self;
  other.boot = "another";
  CHECK_FALSE(process_alive(other));
  other = self;
  other.pid = 0;
  CHECK_FALSE(process_alive(other));
}

TEST_CASE("a process that has ended is not alive, before it is waited for and after") {
  const pid_t child = ::fork();
  if (child == 0) {
    while (true) ::pause();
  }
  OwnerInfo info = describe_self("");
  info.pid = child;
  // The child's start time is found by trying: it began at or after this process.
  while (!process_alive(info)) ++info.pid_start;
  ::kill(child, SIGKILL);
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  CHECK_FALSE(process_alive(info));
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(process_alive(info));
}

TEST_CASE("a process's parents are its ancestors, itself and its children are not") {
  const OwnerInfo self = describe_self("");
  CHECK_FALSE(is_ancestor_of_us(self));
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      OwnerInfo impostor = self;
      impostor.pid_start += 1;
      ::_exit(is_ancestor_of_us(self) && !is_ancestor_of_us(impostor) ? 0 : 1);
    }
    int status = 0;
    ::waitpid(grandchild, &status, 0);
    ::_exit(status == 0 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}
