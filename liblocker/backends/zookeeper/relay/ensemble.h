#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "backends/zookeeper/relay/name_lookup.h"
#include "backends/zookeeper/relay/sockets.h"
#include "core/url.h"
#include "runtime/clock.h"
#include "runtime/event.h"

namespace locker::backends::zookeeper::relay {

// Where to dial: an address of a server, or one whose addresses are not known yet.
struct Target {
  std::size_t server = 0;
  std::optional<Endpoint> endpoint;
};

// The servers: their addresses, and which of them failed lately. The relay's thread only.
class Ensemble {
 public:
  using ClockPtr = std::shared_ptr<runtime::Clock>;

  // How long one failure puts a server behind those that did not fail.
  static constexpr runtime::Milliseconds suspicion{30000};
  // How long addresses are used before the name is looked up again, beside their use.
  static constexpr runtime::Milliseconds fresh{60000};

  // Begins to look names up. Every server has its port.
  Ensemble(boost::asio::any_io_executor executor, ClockPtr clock,
           const std::vector<core::UrlHost>& servers, LookUp look_up);

  // Whom to dial, in this order: a new random one each time, all addresses of all servers, first
  // one of each; who failed lately comes last.
  std::vector<Target> targets();

  // As errors name it: "zk1:2181", "[::1]:2181".
  const std::string& name(std::size_t server) const { return servers_[server].name; }
  // As its certificate names it.
  const std::string& host(std::size_t server) const { return servers_[server].host; }

  // Whether the server's addresses, or why there are none, are still to come.
  bool is_looking_up(std::size_t server) const;
  // Sets the event once they have come.
  void on_looked_up(std::size_t server, const runtime::EventPtr& event);
  // All its addresses. Error: unavailable, as one half of a sentence.
  Result<std::vector<Endpoint>> endpoints(std::size_t server) const;

  // Forgets what is still being looked up, before the executor's context ends.
  void stop() { lookup_.stop(); }

  void answered(std::size_t server);
  void failed(std::size_t server);

 private:
  struct Server {
    std::string host;
    std::string name;
    std::uint16_t port = 0;
    bool numeric = false;  // its address is its name
    std::vector<Endpoint> endpoints;
    std::optional<Error> unknown;  // why the last look-up found nothing
    bool looking_up = false;
    runtime::SteadyTime stale_at = runtime::SteadyTime::min();
    runtime::SteadyTime suspect_until = runtime::SteadyTime::min();
    std::vector<std::weak_ptr<runtime::Event>> waiting;
  };

  void look_up_again(std::size_t index);
  void looked_up(std::size_t index, const Result<Addresses>& found);

  ClockPtr clock_;
  std::vector<Server> servers_;
  std::mt19937 random_;
  NameLookup lookup_;
};

}  // namespace locker::backends::zookeeper::relay
