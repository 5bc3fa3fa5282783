#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <locker/result.h>

#include "backends/local/store_files.h"
#include "runtime/event.h"

namespace locker::backends::local {

// What the waits of one session sleep on: the events of watched tickets, and the life pipes of the
// sessions that those belong to. An idle watch costs no system call. The runtime's thread only.
class Watches : public std::enable_shared_from_this<Watches> {
 public:
  // `on_death` is called with a session whose life pipe hung up, as long as this object lives.
  Watches(boost::asio::any_io_executor executor, StoreFiles files,
          std::function<void(std::string)> on_death);

  // `event` is set when the ticket `node` changes. Events that are gone by then are forgotten.
  void add(const std::string& node, const runtime::EventPtr& event);
  // Takes note of whose ticket it is, and watches that session's life. Error: unavailable (no
  // descriptors left).
  Result<void> watch_life(const std::string& node, const std::string& session);
  // Watches again the life of a session that turned out to live. False: it can't be watched now.
  bool watch_life_again(const std::string& session);

  // The ticket changed: sets its events and forgets it.
  void fire(const std::string& node);
  void fire_all();
  // Forgets the tickets that nobody waits for any more; their names.
  std::vector<std::string> forget_unwanted();

 private:
  struct Node {
    std::string session;  // empty until watch_life
    std::vector<std::weak_ptr<runtime::Event>> events;
  };
  struct LifeWatch {
    explicit LifeWatch(boost::asio::posix::stream_descriptor open) : pipe(std::move(open)) {}
    boost::asio::posix::stream_descriptor pipe;
    int nodes = 0;
  };

  using Nodes = std::map<std::string, Node>;

  Nodes::iterator forget(Nodes::iterator node);
  void wait_for_death(const std::string& session, LifeWatch& watch);
  void hung_up(const std::string& session);

  boost::asio::any_io_executor executor_;
  StoreFiles files_;
  std::function<void(std::string)> on_death_;
  Nodes nodes_;
  std::map<std::string, LifeWatch> lives_;
};

}  // namespace locker::backends::local
