#include "tests/local/peer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "tests/local/support.h"

namespace locker::tests {

Peer::Peer(const std::string& directory) {
  std::array<int, 2> commands{};
  std::array<int, 2> answers{};
  if (::pipe2(commands.data(), O_CLOEXEC) != 0 || ::pipe2(answers.data(), O_CLOEXEC) != 0) {
    std::abort();
  }
  const char* program = LOCAL_PEER;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(commands[0], STDIN_FILENO);
    ::dup2(answers[1], STDOUT_FILENO);
    ::execl(program, program, directory.c_str(), nullptr);
    std::_Exit(127);
  }
  commands_ = backends::local::Descriptor(commands[1]);
  answers_ = backends::local::Descriptor(answers[0]);
  ::close(commands[0]);
  ::close(answers[1]);
}

Peer::~Peer() {
  kill();
}

void Peer::tell(const std::string& command) {
  const std::string line = command + "\n";
  if (::write(commands_.number(), line.data(), line.size()) < 0) std::abort();
}

std::string Peer::hear() {
  while (true) {
    const std::size_t end = heard_.find('\n');
    if (end != std::string::npos) {
      const std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return line;
    }
    pollfd ready{answers_.number(), POLLIN, 0};
    const auto bound = static_cast<int>(liveness_bound(3).count());
    if (::poll(&ready, 1, bound) <= 0) return "(silence)";
    std::array<char, 512> buffer{};
    const ssize_t count = ::read(answers_.number(), buffer.data(), buffer.size());
    if (count <= 0) return "(end)";
    heard_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::string Peer::ask(const std::string& command) {
  tell(command);
  return hear();
}

bool Peer::is_silent(std::chrono::milliseconds time) {
  pollfd ready{answers_.number(), POLLIN, 0};
  return heard_.empty() && ::poll(&ready, 1, static_cast<int>(time.count())) == 0;
}

void Peer::signal(int number) {
  ::kill(pid_, number);
}

void Peer::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void Peer::await_stop() {
  int status = 0;
  ::waitpid(pid_, &status, WUNTRACED);
}

}  // namespace locker::tests
