#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace locker::tests {

// The bound on anything live, scaled by LOCKER_TEST_SLOW.
std::chrono::milliseconds relay_bound();

// A blocking TCP connection on loopback, as seen from one end; closed with the object. What takes
// longer than the bound ends as a failure of the connection.
class Line {
 public:
  explicit Line(int socket);
  // Connects to a port of 127.0.0.1; `is_open` tells whether that went well.
  static Line connect(std::uint16_t port);
  Line(Line&& other) noexcept;
  Line& operator=(Line&& other) noexcept;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line();

  bool is_open() const { return socket_ >= 0; }
  int number() const { return socket_; }

  // Whether all of it was taken.
  bool send(const std::string& data) const;
  // As many bytes, or fewer where the connection ends before.
  std::string receive(std::size_t bytes) const;
  // What is there, once anything is; empty at the end.
  std::string receive_some() const;
  // Everything until the end, however that comes.
  std::string receive_all() const;
  // How it ends, once everything was received.
  enum class End { orderly, reset, never };
  End end() const;
  // Waits until the other side resets it, an end of sending before that or not.
  bool await_reset() const;
  // Whether the other side has ended it by now.
  bool has_ended() const;

  void end_sending() const;
  void close();
  void reset();

 private:
  int socket_ = -1;
};

// A packet as ZooKeeper frames it: the length in four bytes, then the body.
std::string packet(const std::string& body);
// The body of the next packet; empty at the end of the connection.
std::string receive_packet(const Line& line);

// Bytes that repeat late, the same for the same seed.
std::string noise(std::size_t bytes, std::uint32_t seed);

}  // namespace locker::tests
