#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <locker/result.h>

#include "runtime/event.h"

namespace locker::backends::zookeeper {

// Which nodes the server watches for this session, and who wants to hear of them. A node has one
// ticket, however often it is asked for: the server has one watch for it, and one share of the
// budget is used. Used on the runtime's thread, where the client's words come in its own order.
class WatchBook {
 public:
  // The ticket for a get of that node which is about to be sent with this number. Error:
  // rate_limited (the budget is used up).
  Result<std::uint64_t> ask(const std::string& path, std::uint64_t call,
                            const runtime::EventPtr& event);
  // That get was answered; a watch stands where it succeeded.
  void answered(std::uint64_t ticket, std::uint64_t call, bool success);
  // The node changed or went: the server's watch is gone. A ticket that is not there is ignored.
  void fired(std::uint64_t ticket);
  // Sets every event and keeps every watch: something happened to the session.
  void shake();
  // Sets every event and forgets everything.
  void clear();

  std::size_t count() const { return watches_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  using Listeners = std::vector<std::weak_ptr<runtime::Event>>;
  struct Watch {
    std::string path;
    bool stands = false;  // at the server, as the client sees it
    Listeners listeners;
    // Of gets that are not answered yet. What fires before the answer is not what they asked for.
    std::map<std::uint64_t, std::weak_ptr<runtime::Event>> asking;
  };
  using Watches = std::map<std::uint64_t, Watch>;

  static void set_all(const Listeners& listeners);
  static std::size_t size_of(const std::string& path);
  void forget_if_idle(Watches::iterator watch);

  std::uint64_t last_ticket_ = 0;
  Watches watches_;
  std::map<std::string, std::uint64_t> tickets_;
  std::size_t bytes_ = 0;
};

}  // namespace locker::backends::zookeeper
