#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "backends/local/descriptor.h"

namespace locker::tests {

// A `local_peer` process, ended with this object.
class Peer {
 public:
  explicit Peer(const std::string& directory);
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer();

  pid_t pid() const { return pid_; }
  void tell(const std::string& command);
  // The next line that it says; "(silence)" if none comes within the liveness bound.
  std::string hear();
  std::string ask(const std::string& command);
  // Whether it says nothing for a while in which it could have spoken many times over.
  bool is_silent(std::chrono::milliseconds time);
  void signal(int number);
  // Ends it at once and waits for that.
  void kill();
  // Waits until it is stopped.
  void await_stop();

 private:
  pid_t pid_ = -1;
  backends::local::Descriptor commands_;
  backends::local::Descriptor answers_;
  std::string heard_;
};

}  // namespace locker::tests
