#pragma once

#include "backends/zookeeper/relay/link.h"
#include "backends/zookeeper/relay/station.h"

namespace locker::backends::zookeeper::relay {

// Begins to connect to a target that has an address. Error: unavailable, one sentence that names
// the server.
Result<LinkPtr> begin_dialling(const Station& station, const Target& target);

// Waits until the link is connected and both sides have agreed on TLS where that is asked for; then
// it may be written to. The link may be closed from outside, which ends the wait. Errors:
// unavailable, unauthorized; one sentence that names the server.
boost::asio::awaitable<Result<void>> finish_dialling(StationPtr station, LinkPtr link,
                                                     std::size_t server);

}  // namespace locker::backends::zookeeper::relay
