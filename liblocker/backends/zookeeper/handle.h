#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <locker/result.h>

#include "backends/zookeeper/flight.h"
#include "backends/zookeeper/operations.h"
#include "runtime/clock.h"
#include "runtime/event.h"

namespace locker::backends::zookeeper {

class AccessRights;
class ClientLink;

// Who one is to ZooKeeper, and who may do what with the nodes that one makes.
struct Identity {
  std::string digest;                // "user:password" of the digest scheme; empty: nobody
  std::vector<std::string> also;     // "digest:user:hash" entries that share every node
  std::vector<std::string> readers;  // "world:anyone" or "digest:user:hash" entries that may read
};

struct HandleOptions {
  boost::asio::any_io_executor executor;  // the runtime's one thread
  std::shared_ptr<runtime::Clock> clock;
  std::string servers;  // "host:port,host:port", tried in random order
  runtime::Milliseconds session_timeout{30000};
  Identity identity;
};

// One ZooKeeper session through the C client: every request is asynchronous, every answer comes on
// the runtime's thread. Errors of every verb:
//   not_found                      there is no such node, or no parent to make it in
//   conflict/node_exists, conflict/bad_version, conflict/not_empty
//   unauthorized                   the server refuses this identity
//   unavailable                    the outcome is unknown: it may have, or get, its effect
//   lost                           the session is over: expired, or authentication failed
//   too_large, invalid             it was never sent: over the packet's limit, not a path
//   rate_limited                   it was never sent: 32,768 requests wait for their answer
//   internal                       whatever else the server says; certainly without effect
// `unavailable` with a finer code (throttled, read_only, quota_exceeded) is certainly without
// effect, too.
class Handle : public std::enable_shared_from_this<Handle> {
 public:
  // Begins to connect. Errors: config/bad_servers, config/bad_identity.
  static Result<std::shared_ptr<Handle>> start(HandleOptions options);

  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  // Closes without waiting where nobody has closed it.
  ~Handle();

  // Waits until the session is there, and the server knows who we are; before that, every verb
  // answers unavailable. Errors: unavailable (not by the deadline, or at once where no server's
  // name has an address), unauthorized, lost.
  boost::asio::awaitable<Result<void>> connected(runtime::Deadline deadline);

  std::int64_t session_id() const;
  // The session time-out as the server granted it; valid once connected.
  runtime::Milliseconds timeout() const;
  // Boot time just before the connection was asked for.
  runtime::BootTime opened_at() const { return opened_at_; }
  // Why the session is over; nothing while it may live.
  const std::optional<Error>& over() const;
  // Sets `event` when it is over, at once if it is already. Forgotten with the event.
  void on_over(const runtime::EventPtr& event);
  // Sets `event` each time the connection comes or goes. Forgotten with the event.
  void on_contact(const runtime::EventPtr& event);
  bool in_contact() const;

  Flight<Created> create(std::string path, std::string data, NodeKind kind,
                         Access access = Access::shared);
  Flight<NodeData> get(std::string path);
  // The same, and sets `changed` once the node changes or goes, or for no reason at all. Answers
  // rate_limited, and neither gets nor watches, where the session's watches would be too many for
  // one packet (4,000, or 500 kB of paths).
  Flight<NodeData> watch(std::string path, runtime::EventPtr changed);
  Flight<Stat> exists(std::string path);
  // Names, without the path, in no order.
  Flight<std::vector<std::string>> children(std::string path);
  Flight<Stat> set(std::string path, std::string data, std::int32_t version = -1);
  Flight<void> remove(std::string path, std::int32_t version = -1);
  // All or nothing; a failure is that of the first operation that failed. Containers are refused
  // with `invalid`: the client aborts on them. Unlike the other verbs it does not wait for a
  // connection that is being made: it answers unavailable.
  Flight<std::vector<OperationAnswer>> multi(std::vector<Operation> operations);
  // Waits until this server has caught up with the leader.
  Flight<void> sync(std::string path);
  // "world:anyone=rwcda": entries separated by commas, each with its rights.
  Flight<std::string> access_list(std::string path);

  // How many requests were sent; the client's own number for them wraps after two thousand million.
  std::uint64_t requests() const;

  // Ends the session at the server where it can be reached, and answers every flight. What is to be
  // removed for certain is removed before, and awaited.
  boost::asio::awaitable<void> close();

 private:
  Handle(HandleOptions options, AccessRights rights, const std::string& client_servers);
  Error not_connected() const;

  HandleOptions options_;
  std::unique_ptr<const AccessRights> rights_;
  runtime::BootTime opened_at_{};
  std::shared_ptr<ClientLink> link_;
};
using HandlePtr = std::shared_ptr<Handle>;

}  // namespace locker::backends::zookeeper
