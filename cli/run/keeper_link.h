#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/descriptor.h"

namespace locker::cli {

// What locker and its keeper tell each other, one packet each, over a socket pair.
//
//   locker                              keeper
//     start (environment, life)  ───▶   starts the command
//                                ◀───   started (pid) or failed (errno)
//     pass (signal)              ───▶   to the command's whole group
//                                ◀───   stopped (signal), ended (exit code)
//     end_all                    ───▶   kills everything below it
//                                ◀───   lease_ends: it has begun to end the command by itself
//     let_go                     ───▶   goes, and leaves what still runs alone
//                                ◀───   gone: nothing runs any more; then it ends
enum class LinkKind : std::uint32_t {
  start,
  pass,
  end_all,
  let_go,
  started,
  failed,
  stopped,
  ended,
  lease_ends,
  gone,
};

struct LinkMessage {
  LinkKind kind = LinkKind::gone;
  std::int32_t value = 0;   // a signal, a pid, an errno or an exit code as a shell has it
  std::int32_t detail = 0;  // start: whether the command gets the terminal
};

// A message with the descriptors that came along.
struct LinkPacket {
  LinkMessage message;
  std::vector<Descriptor> descriptors;
};

// One end of the link.
class KeeperLink {
 public:
  explicit KeeperLink(Descriptor socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.get(); }
  // False if the other side is gone.
  bool send(const LinkMessage& message, const std::vector<int>& descriptors = {}) const;
  // Waits for the next packet; nothing if the other side is gone.
  std::optional<LinkPacket> receive() const;

 private:
  Descriptor socket_;
};

// Both ends of a new link; closed ends if there are no descriptors left.
std::pair<Descriptor, Descriptor> make_link();

// Puts lines into a file without a name that can be sent along, and takes them out again.
Descriptor pack_lines(const std::vector<std::string>& lines);
std::vector<std::string> unpack_lines(const Descriptor& file);

}  // namespace locker::cli
