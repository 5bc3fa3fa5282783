#pragma once

#include <memory>
#include <string>
#include <thread>

#include "backends/zookeeper/mailbox.h"

namespace locker::backends::zookeeper {

// The thread that opens and closes one client. Both block: opening asks for the servers' addresses,
// closing waits for the client's threads and for the server. Between the two it sleeps. It blocks
// all signals, and so do the client's own threads, which inherit that.
//
// Its letters: ClientLink::opened or ClientLink::failed, then ClientLink::closed.
class ClientThread {
 public:
  // What the client may write to until it is closed.
  using Keepsake = std::shared_ptr<void>;

  // `servers` in the client's spelling.
  ClientThread(std::shared_ptr<Mailbox> mailbox, std::string servers, int session_timeout_ms);
  ClientThread(const ClientThread&) = delete;
  ClientThread& operator=(const ClientThread&) = delete;
  // Asks it to close and waits for nothing.
  ~ClientThread();

  // Asks it to close the client; from now on nobody may use that. Once.
  void close(Keepsake keepsake);
  // Waits for the end of the thread; after its last letter, so not for long.
  void join() { thread_.join(); }

 private:
  struct Shared;

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace locker::backends::zookeeper
