#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <boost/asio/ip/tcp.hpp>

#include <locker/result.h>

namespace locker::backends::zookeeper::relay {

using Endpoint = boost::asio::ip::tcp::endpoint;

// Asio opens and accepts sockets that a started program would inherit. These do not block, are
// close-on-exec from birth, and send small packets at once.

struct Listener {
  int socket = -1;
  Endpoint endpoint;
};
// A free port of 127.0.0.1. Error: unavailable.
Result<Listener> listen_on_loopback();
// The next connection that waits; or -1 and errno.
int accept_connection(int listener);

// Begins to connect; the socket can be written to once that has ended. Error: unavailable, as one
// half of a sentence.
Result<int> begin_connecting(const Endpoint& endpoint);
// How connecting ended: 0, or the errno of its failure. A socket that met itself, as one can on a
// free port of one's own host, was refused.
int connect_result(int socket);

// The two ends of a connection; nothing for what is not connected or not TCP.
std::optional<Endpoint> near_end(int socket);
std::optional<Endpoint> far_end(int socket);

// Lets the kernel end a connection whose other side has not answered for `silence`: neither to what
// was sent nor, while nothing is sent, to a probe.
void end_when_silent(int socket, std::chrono::milliseconds silence);
// Makes the next close drop what is unsent and tell the other side so.
void reset_on_close(int socket);
void close_socket(int socket);

}  // namespace locker::backends::zookeeper::relay
