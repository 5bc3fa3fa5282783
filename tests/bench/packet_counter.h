#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace locker::bench {

// Which end of a connection speaks.
enum class Sender { client, server };

// Reads along one direction of a ZooKeeper connection and counts its packets: requests by their
// kind ("create2", "getData", …), and of what the server says "answer", "notification" (a watch
// that fired) and "bytes" of both.
class PacketCounter {
 public:
  explicit PacketCounter(Sender sender) : sender_(sender) {}

  void read(std::string_view bytes);
  // Adds the counts to `all` and begins again.
  void move_to(std::map<std::string, std::int64_t>& all);

 private:
  void count(std::string_view packet);

  Sender sender_;
  bool greeted_ = false;     // the first packet opens the session
  std::size_t to_skip_ = 0;  // of a packet whose begin was counted
  std::string begin_;        // of a packet of which too little is there
  std::map<std::string, std::int64_t> counts_;
};

}  // namespace locker::bench
