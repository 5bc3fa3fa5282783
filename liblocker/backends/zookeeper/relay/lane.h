#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backends/zookeeper/relay/link.h"
#include "runtime/clock.h"

namespace locker::backends::zookeeper::relay {

// Whether the server owes the client an answer: it has been sent something and has sent nothing
// since. A healthy server owes for moments, as it answers even an idle client's pings.
struct Debt {
  std::optional<runtime::SteadyTime> since;
  std::uint64_t heard = 0;  // how often the server has sent something
};

// One direction of a connection.
struct Lane {
  LinkPtr from;
  LinkPtr to;
  std::string first;    // sent before anything else
  bool upward = false;  // towards the server
  std::shared_ptr<Debt> debt;
  std::shared_ptr<runtime::Clock> clock;
};
using LanePtr = std::shared_ptr<Lane>;

enum class LaneEnd {
  ended,        // all was passed on, the end too
  from_failed,  // all that came was passed on, then its connection broke
  to_failed,    // nobody takes the rest
};

// Copies until an end.
boost::asio::awaitable<LaneEnd> run_lane(LanePtr lane);

// Reads what nobody takes any more, so that the sender is not reset over it, to the end.
boost::asio::awaitable<void> drain(LinkPtr link);

}  // namespace locker::backends::zookeeper::relay
