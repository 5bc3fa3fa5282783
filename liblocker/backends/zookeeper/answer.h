#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <locker/result.h>

#include "backends/zookeeper/operations.h"

namespace locker::backends::zookeeper {

// What came back for one request, as much of it as its verb has.
struct Answer {
  std::optional<Error> ours;  // set where no answer came, or will come
  int code = 0;               // the client's or the server's; 0 is success
  std::string text;           // data, a path, an access list
  Stat stat;
  std::vector<std::string> names;  // of children

  bool is_success() const { return !ours.has_value() && code == 0; }
};

// What the client says of its session.
struct SessionNews {
  int state = 0;  // ZOO_…_STATE
  std::int64_t id = 0;
  int timeout_ms = 0;
};

}  // namespace locker::backends::zookeeper
