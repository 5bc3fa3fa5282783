#pragma once

#include "backends/zookeeper/relay/link.h"
#include "backends/zookeeper/relay/station.h"

namespace locker::backends::zookeeper::relay {

// Serves one connection of the client from its first packet to its end: finds a server, then copies
// bytes both ways. An end of sending is passed on as such, a server's reset as a reset; a client's
// last bytes reach the server whatever the client does after them.
boost::asio::awaitable<void> serve(StationPtr station, LinkPtr client);

}  // namespace locker::backends::zookeeper::relay
