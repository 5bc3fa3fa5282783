#pragma once

#include <cstdint>

#include <sys/eventfd.h>

#include "cli/run/descriptor.h"

namespace locker::cli {

// Tells a thread in poll that another one has something for it.
class Notice {
 public:
  Notice() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  int descriptor() const { return event_.get(); }
  void set() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
  }
  // Whether it was set since the last time.
  bool take() const {
    std::uint64_t count = 0;
    return ::read(event_.get(), &count, sizeof count) > 0;
  }

 private:
  Descriptor event_;
};

}  // namespace locker::cli
