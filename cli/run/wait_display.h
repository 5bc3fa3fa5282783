#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <locker/listing.h>

namespace locker::cli {

// What a waiting locker shows on stderr: one status line on a terminal, otherwise a line when the
// wait begins and every 10 s.
class WaitDisplay {
 public:
  WaitDisplay(std::string resource, bool quiet);
  WaitDisplay(const WaitDisplay&) = delete;
  WaitDisplay& operator=(const WaitDisplay&) = delete;
  // Takes the status line away.
  ~WaitDisplay();

  // Takes a new status and shows it if it is time.
  void update(const WaitStatus& status);
  // How long the display can be left alone; -1: until something happens.
  int next_in_ms() const;
  // Shows what is due.
  void tick();

 private:
  std::string line() const;
  void show();

  std::string resource_;
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begun_;
  std::chrono::steady_clock::time_point due_;
  std::optional<WaitStatus> status_;
};

// "12 s", "3 min 5 s": for eyes.
std::string waited_text(std::chrono::milliseconds waited);

}  // namespace locker::cli
