#pragma once

#include <cstddef>

namespace locker::backends::zookeeper {

// The server cuts the line on a packet of 1,048,575 bytes or more, and on each repetition of it, so
// what could make one is refused here.
inline constexpr std::size_t data_limit = 64 * 1024;
inline constexpr std::size_t path_limit = 64 * 1024;
inline constexpr std::size_t multi_limit = 512 * 1024;

// After a reconnect the client names all watched paths in one packet; at a few thousand the server
// is busy for seconds, and over the packet's limit the connection never comes back.
inline constexpr std::size_t watch_limit = 4000;
inline constexpr std::size_t watch_bytes_limit = 500 * 1000;

// Each request wakes the client's thread with a byte in a pipe. When that is full, after 65,536
// bytes, the client closes its connection from the wrong thread.
inline constexpr std::size_t flight_limit = 32 * 1024;

}  // namespace locker::backends::zookeeper
