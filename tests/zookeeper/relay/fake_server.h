#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "core/url.h"
#include "tests/zookeeper/relay/line.h"

namespace locker::tests {

// A server of a test's own making on a free port of 127.0.0.1. Each connection runs the script on a
// thread of its own; when the script returns the connection is closed.
class FakeServer {
 public:
  using Script = std::function<void(Line&)>;

  explicit FakeServer(Script script);
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  // Breaks what is still open.
  ~FakeServer();

  std::uint16_t port() const { return port_; }
  core::UrlHost host() const { return {"127.0.0.1", port_}; }
  int connections() const { return connections_; }

 private:
  void accept();
  void run(Line line);

  Script script_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;  // guards what follows
  bool ending_ = false;
  std::list<int> open_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

// Answers the first packet with a packet of the text, then whatever comes with the same again.
FakeServer::Script answering(std::string text);
// Takes connections and never says anything.
void silent(Line& line);

// Passes everything on to another port, and back.
FakeServer::Script forwarding(std::uint16_t port);

// A port that takes connections (by the kernel's queue) and whose process never looks at them, as
// one that is stopped.
class StoppedServer {
 public:
  StoppedServer();
  StoppedServer(const StoppedServer&) = delete;
  StoppedServer& operator=(const StoppedServer&) = delete;
  ~StoppedServer();

  core::UrlHost host() const { return {"127.0.0.1", port_}; }

 protected:
  int listener_ = -1;
  std::uint16_t port_ = 0;
};

// A port that answers no request for a connection, as a host that is cut off: its queue is full.
class BlackHole : public StoppedServer {
 public:
  BlackHole();

 private:
  std::vector<Line> filling_;
};

// A port that refuses connections, for as long as nobody else takes it.
core::UrlHost refusing_host();

}  // namespace locker::tests
