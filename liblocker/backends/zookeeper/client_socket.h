#pragma once

#include <zookeeper/zookeeper.h>

namespace locker::backends::zookeeper {

// Marks the socket of a client that has just connected as close-on-exec. The client opens it
// without, and a program that is started by this process would hold the session's socket open.
void keep_socket_from_children(zhandle_t* client);

}  // namespace locker::backends::zookeeper
