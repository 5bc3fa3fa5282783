#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backends/zookeeper/reading.h"
#include "runtime/lock_backend.h"

namespace locker::backends::zookeeper {

// What is known of the column orders, by the table's path.
using KnownOrders = std::map<std::string, TableText>;

// Where one request stands and where it looks. Pure.
struct EnqueuePlan {
  std::vector<bool> coarse;              // of each place: whether anything can be below it
  std::vector<core::Resource> above;     // whose `.coarse` is looked at
  std::vector<core::Resource> unpaired;  // partitions above, whose locks may lack a companion
  std::vector<core::Resource> tables;    // whose order the request relies on, and
  std::vector<std::vector<int>> depths;  // the earlier depths of each, that `unpaired` is made from
  bool in_one_node = false;              // one create does it; otherwise a multi

  bool any_coarse() const;
};
// What is below a place is told by the order that the request relies on, which its flight checks;
// the known orders tell of earlier depths alone.
EnqueuePlan plan_of(const runtime::Request& request, const KnownOrders& orders);

// A request's nodes once they stand.
struct Enqueued {
  runtime::RequestPtr request;
  std::vector<std::string> nodes;       // in the order of Request::places
  std::vector<std::string> companions;  // of the coarse ones
  std::vector<std::string> waits;       // its entries among the waits
  std::int64_t zxid = 0;                // of the step that made them
  // As they are now: an owner may give them away, and lower them.
  std::string owner;
  std::string proof;
  bool lowered = false;

  // Every path of it, the waits last.
  std::vector<std::string> all_paths() const;
};

// Nothing of it stands yet: the names are those before the sequence.
Enqueued unplaced(const Tree& tree, runtime::RequestPtr request, const EnqueuePlan& plan);

// The one step of a request that needs more than one node: first the session's own node, whose new
// version tells the step's number, then everything of the request.
std::vector<Operation> enqueue_operations(const Enqueued& unplaced, const SetOperation& heartbeat);

// What a request's nodes hold now; `place` is an index into Request::places.
std::string lock_json(const Enqueued& request, std::size_t place);
std::string companion_json(const Enqueued& request);

// What stands beside a request, as its first look saw it.
struct Seen {
  std::vector<Children> members;  // of each place's own directory
  FoundNodes elsewhere;           // above and below
};

// The request's own tickets, and those that are ahead of it.
runtime::awaitable<Result<std::vector<runtime::StandingTicket>>> look_ahead(
    ViewPtr view, std::shared_ptr<const Enqueued> mine, Seen seen, OwnerInfo self);

// The request's own tickets alone.
std::vector<runtime::StandingTicket> own_tickets(const View& view, const Enqueued& mine,
                                                 const OwnerInfo& self);
runtime::Joined joined_of(const Enqueued& mine);

}  // namespace locker::backends::zookeeper
