#pragma once

#include <string>
#include <string_view>

#include <locker/result.h>

namespace locker::cli {

enum class Level { error, warning, info, debug };

// What the command says to its user on stderr, a whole line at a time. Everything that it is given
// is made safe for a terminal first.
class Voice {
 public:
  void set(Level level, bool json) {
    level_ = level;
    json_ = json;
  }
  bool json() const { return json_; }

  // Says a line, whatever the level.
  void say(std::string_view line) const;
  void warn(std::string_view line) const;
  void info(std::string_view line) const;

  // Says what went wrong, with holders or cycle, as text or as a JSON object; gives back the exit
  // code, with `not_obtained` for a lock that was not granted.
  int fail(const Error& error) const;
  int fail(const Error& error, int not_obtained) const;

 private:
  Level level_ = Level::warning;
  bool json_ = false;
};

// The lines that `fail` prints for an error, "locker: " in front of the first.
std::string error_text(const Error& error);

}  // namespace locker::cli
