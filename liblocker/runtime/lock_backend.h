#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <locker/fencing_token.h>
#include <locker/listing.h>
#include <locker/result.h>

#include "core/ticket.h"
#include "runtime/clock.h"
#include "runtime/event.h"

namespace locker::runtime {

using boost::asio::awaitable;

// What a request enqueues: made once, shared by everything that works on it, never changed.
struct Request {
  std::string id;                   // 32 random hex digits; part of every node's name
  OwnerInfo owner;                  // who asks
  std::string proof;                // owner_proof of the owner: what a child must know to be it
  std::vector<core::Place> places;  // a prepared set
  // The column order that the places rely on, for each of their tables that have partitions named.
  std::vector<TableColumns> columns;
  // Whether the owner holds anything: only such a request can close a cycle of waits.
  bool owner_holds = false;
  std::chrono::system_clock::time_point since;
};
using RequestPtr = std::shared_ptr<const Request>;

// One ticket with everything known about who stands there.
struct StandingTicket {
  core::Ticket ticket;
  FencingToken token;
  OwnerInfo owner;
  std::string proof;
  std::string session;
  std::chrono::system_clock::time_point since;
};

// The outcome of enqueueing.
struct Joined {
  bool columns_changed = false;       // nothing was enqueued: a table has another order now
  std::vector<core::Ticket> tickets;  // in the order of Request::places
  std::vector<FencingToken> tokens;   // likewise
  // The tickets themselves, and at least all that are ahead of them, as of some moment after the
  // enqueueing, where the backend could look in the same round trip. Tickets of a long queue may
  // lack whatever only people read; their positions are right relative to those of the request.
  std::optional<std::vector<StandingTicket>> look;
};

// Liveness at the coordinator: while it lives, its tickets stand. Every verb is asynchronous, runs
// on the runtime's thread, and answers `lost` once the session is over. A verb that answers
// `unavailable` without a finer code may or may not have had its effect, or have it yet; all but
// `join` are safe to repeat. With a finer code (`store_full`) it certainly has none.
class Session {
 public:
  virtual ~Session() = default;

  virtual std::string id() const = 0;

  // Enqueues every place of the request in one atomic step, unless a table's column order is not
  // the one that the request relies on; lengthens orders that the request makes longer. After
  // `unavailable` ask `find` before joining again: one request never stands twice.
  virtual awaitable<Result<Joined>> join(RequestPtr request) = 0;
  // After an unknown outcome: what `join` did, or nothing if it is certain that it did nothing and
  // never will. Where there is a time-out this is a confirmed write.
  virtual awaitable<Result<std::optional<Joined>>> find(RequestPtr request) = 0;
  // Everything that stands in a place which meets one of these, in any mode, as of some moment
  // after the call; tickets of dead sessions are removed first where the backend can tell.
  virtual awaitable<Result<std::vector<StandingTicket>>> standing(
      std::vector<core::Place> places) = 0;
  // Which of these nodes are left, with their present modes, as of some moment after the call.
  virtual awaitable<Result<std::vector<core::Ticket>>> still_there(
      std::vector<core::Ticket> tickets) = 0;
  // Arms a watch: `changed` is set once this ticket goes or its mode changes, at once if it has
  // already. May also be set for no reason.
  virtual awaitable<Result<void>> watch(core::Ticket ticket, EventPtr changed) = 0;
  // Removes every ticket of the request, in one step; success if there are none.
  virtual awaitable<Result<void>> leave(std::string request_id) = 0;
  // Makes every place of the request shared; its tickets keep their positions.
  virtual awaitable<Result<void>> lower(std::string request_id) = 0;
  // Gives every ticket of the request another owner; they keep their positions.
  virtual awaitable<Result<void>> reown(std::string request_id, std::string owner_id,
                                        std::string proof) = 0;
  // All tickets of those requests of one owner, of whichever session, that either have a ticket
  // which meets one of `near` or were made while the owner held something. Others may be missing.
  virtual awaitable<Result<std::vector<StandingTicket>>> tickets_of(
      std::string owner_id, std::vector<core::Place> near) = 0;
  // A write that the coordinator itself makes conditional on the request's tickets standing: the
  // commit point. Error: fenced (they do not stand).
  virtual awaitable<Result<void>> write_if_held(std::string request_id, std::string key,
                                                std::string value) = 0;
  // A confirmed write that tells the coordinator of our life; only where there is a time-out.
  virtual awaitable<Result<void>> beat() = 0;
  // An answered operation without a write; likewise.
  virtual awaitable<Result<void>> touch() = 0;
  // The negotiated session time-out; nothing where the kernel vouches for liveness.
  virtual std::optional<Milliseconds> timeout() const = 0;
  // Boot time just before the connection was asked for: the first basis of the lease.
  virtual BootTime opened_at() const = 0;
  // Whether the session is known to be over, and why.
  virtual std::optional<Error> over() const = 0;
  // Sets `event` when the session is known to be over.
  virtual void on_over(const EventPtr& event) = 0;
  // Ends the session; its tickets go. Never fails: what can't be said now dies with the session.
  virtual awaitable<void> close() = 0;
  // A descriptor that keeps the session alive wherever a copy is open; -1: none.
  virtual int liveness_descriptor() const { return -1; }
};
using SessionPtr = std::shared_ptr<Session>;

// What a coordinator knows beside queues: listings, column orders, records. None of it is on the
// way to a grant.
class Directory {
 public:
  virtual ~Directory() = default;

  // Everything that stands at or below `prefix` (empty: everywhere).
  virtual awaitable<Result<std::vector<StandingTicket>>> list(core::Resource prefix) = 0;
  virtual awaitable<Result<std::vector<SessionInfo>>> sessions() = 0;
  // Ends a session for good: every verb of it answers lost/broken from now on, and it is told why.
  // Its tickets stand until it has closed itself, its liveness ends, or remove_broken. Error:
  // not_found.
  virtual awaitable<Result<void>> break_session(std::string session_id, std::string reason) = 0;
  // Takes away the tickets of a broken session that did not go by itself; nothing for any other.
  virtual awaitable<Result<void>> remove_broken(std::string session_id) = 0;
  // What nobody removes but `clean`; what belongs to the sessions above is not among it.
  virtual awaitable<Result<std::vector<LeftOver>>> left_overs() {
    co_return std::vector<LeftOver>();
  }
  // Removes what the dead left and what is left over; how many things.
  virtual awaitable<Result<int>> clean() = 0;
  // Makes the places of resources ahead of their first lock, to be kept until then; how many had to
  // be made. Nothing where a place needs no making.
  virtual awaitable<Result<std::optional<int>>> prepare(
      std::vector<core::Resource> resources, std::chrono::system_clock::time_point until) {
    static_cast<void>(resources);
    static_cast<void>(until);
    co_return std::optional<int>();
  }
  virtual awaitable<Result<std::optional<TableColumns>>> columns(core::Resource table) = 0;
  virtual awaitable<Result<std::vector<TableColumns>>> tables() = 0;
  // Writes the order if the present one is `expected` (nothing: none is fixed). Error: conflict.
  virtual awaitable<Result<void>> set_columns(TableColumns columns,
                                              std::optional<TableColumns> expected) = 0;
  virtual awaitable<Result<void>> forget_columns(core::Resource table) = 0;
  virtual awaitable<Result<std::optional<std::string>>> read(std::string key) = 0;
  // Removes a record; success if there is none.
  virtual awaitable<Result<void>> forget(std::string key) = 0;
};

// One coordinator, chosen by URL.
class LockBackend {
 public:
  virtual ~LockBackend() = default;

  // Opens a session. Errors: unavailable (none before `deadline`), unauthorized, mismatch.
  virtual awaitable<Result<SessionPtr>> open_session(Deadline deadline) = 0;
  virtual Directory& directory() = 0;
  // The URL with every default filled in.
  virtual std::string url() const = 0;
  // Ends the backend's own threads, after everything that was asked of them; nothing is posted to
  // the executor any more once it returns.
  virtual void halt() {}
  // Sentences for the user about this store that must always be shown.
  virtual std::vector<std::string> warnings() const { return {}; }
  // Sentences for whoever looks after it.
  virtual std::vector<std::string> advice() const { return {}; }
};

}  // namespace locker::runtime
