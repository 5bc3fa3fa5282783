#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <locker/listing.h>
#include <locker/result.h>

#include "backends/local/database.h"
#include "backends/local/pipes.h"
#include "backends/local/store_files.h"
#include "runtime/lock_backend.h"

namespace locker::backends::local {

using WallTime = std::chrono::system_clock::time_point;

// What a session finds when it looks after its bell rang or a life pipe hung up.
struct Look {
  std::optional<Error> over;       // the session itself is over, and why
  std::vector<std::string> nodes;  // watched tickets that went or changed
  std::vector<std::string> alive;  // suspects that live after all
};

// What arming a watch found.
struct Watched {
  bool changed = false;  // the ticket is gone or lowered: nothing was armed
  std::string session;   // whose ticket it is
};

// The store of one directory: every verb is one or two small transactions of SQLite, with the
// kernel asked for liveness and bells rung on the way. Blocking; used on one thread. Failures are
// those of the seam (runtime/lock_backend.h): `unavailable` when other processes keep the store
// busy until the deadline, `lost` for a session that is over.
class Store {
 public:
  // Opens the store, making what is missing. `boot` is the id of the running boot.
  static Result<std::unique_ptr<Store>> open(const StoreLocation& location, const std::string& boot,
                                             StoreTime deadline);

  // Whether its files were removed or replaced: then every lock in it is lost.
  bool is_gone() const { return database_.is_moved(); }
  // Until when the verbs wait for other processes.
  void set_deadline(StoreTime deadline) { database_.set_deadline(deadline); }
  const StoreFiles& files() const { return files_; }

  // Sessions.
  Result<Pipes> open_session(const std::string& id, const OwnerInfo& process, WallTime opened);
  Result<void> close_session(const std::string& id);
  // Hears the bell: removes those suspects that are dead, and takes what fired for this session.
  Result<Look> look(const std::string& id, const std::vector<std::string>& suspects);

  // The queue. `id` is the session that asks.
  Result<runtime::Joined> join(const std::string& id, const runtime::Request& request);
  Result<std::optional<runtime::Joined>> find(const std::string& id,
                                              const runtime::Request& request);
  Result<std::vector<runtime::StandingTicket>> standing(const std::string& id,
                                                        const std::vector<core::Place>& places);
  Result<std::vector<core::Ticket>> still_there(const std::string& id,
                                                const std::vector<core::Ticket>& tickets);
  Result<Watched> watch(const std::string& id, const core::Ticket& ticket);
  Result<void> leave(const std::string& id, const std::string& request,
                     const std::vector<std::string>& unwatched);
  Result<void> lower(const std::string& id, const std::string& request);
  Result<void> reown(const std::string& id, const std::string& request, const std::string& owner,
                     const std::string& proof);
  Result<std::vector<runtime::StandingTicket>> tickets_of(const std::string& id,
                                                          const std::string& owner);
  Result<void> write_if_held(const std::string& id, const std::string& request,
                             const std::string& key, const std::string& value);

  // The directory.
  Result<std::vector<runtime::StandingTicket>> list(const core::Resource& prefix);
  Result<std::vector<SessionInfo>> sessions();
  Result<void> break_session(const std::string& id, const std::string& reason,
                             const OwnerInfo& breaker, WallTime at);
  Result<void> remove_broken(const std::string& id);
  Result<int> clean(WallTime now);
  Result<std::optional<TableColumns>> columns(const core::Resource& table);
  Result<std::vector<TableColumns>> tables();
  Result<void> set_columns(const TableColumns& columns,
                           const std::optional<TableColumns>& expected);
  Result<void> forget_columns(const core::Resource& table);
  Result<std::optional<std::string>> read(const std::string& key);
  Result<void> forget(const std::string& key);

 private:
  explicit Store(StoreFiles files) : files_(std::move(files)) {}

  // Whether a commit is on the disk before it is answered.
  enum class Durability { of_this_boot, for_ever };

  // Runs `body` in a transaction of its own and keeps its effects if it succeeds.
  template <typename T>
  Result<T> write(const std::function<Result<T>()>& body,
                  Durability durability = Durability::of_this_boot);
  // Runs `body` on the state of one moment.
  template <typename T>
  Result<T> read_at_once(const std::function<Result<T>()>& body);

  // The pieces below run inside a transaction.

  // An Error if the session is over; then nothing of what it asks for may be done.
  Result<void> check_session(const std::string& id);
  bool is_broken(const std::string& id);
  // The position of a request of this session; nothing if it does not stand.
  std::optional<std::int64_t> position_of(const std::string& id, const std::string& request);
  // `stands`: its places do, until it has let go.
  Error why_over(const std::string& id, bool stands);
  // Whether no process keeps the session alive.
  bool is_dead(const std::string& session, const OwnerInfo& process) const;
  // The position of a request of any living session: what a process holds counts for its children.
  std::optional<std::int64_t> living_position_of(const std::string& id, const std::string& request);
  // Removes the session with everything it has in queues, and wakes whom that concerns.
  void remove_session(const std::string& id);
  void remove_request(std::int64_t position);
  // Marks the watches of a request's tickets as fired and rings the bells of those who watch.
  void wake_watchers(std::int64_t position);
  std::uint64_t next_position();
  std::optional<runtime::Joined> joined_of(const runtime::Request& request);
  void forget_breaks();
  // Compares the orders that a request relies on with the stored ones. True: they are the same.
  bool check_columns(const runtime::Request& request, std::vector<TableColumns>& longer);
  std::optional<TableColumns> stored_columns(const std::string& path);
  void put_columns(const TableColumns& columns);

  // The pieces below run outside of one.

  Result<void> begin(bool writing, Durability durability);
  Result<void> end(bool keep);
  Error gone() const;
  // Those of the sessions that are dead.
  Result<std::vector<std::string>> dead_among(const std::set<std::string>& sessions);
  // Removes a session unless it lives; whether it is gone now.
  Result<bool> reap(const std::string& session);
  void unlink_pipes(const std::string& session) const;
  // Removes pipes that belong to no session; how many sessions they were of.
  Result<int> remove_orphans();
  // Removes databases that somebody began to make long ago.
  int remove_unfinished(WallTime now) const;

  StoreFiles files_;
  Database database_;
  std::set<std::string> bells_;  // to be rung before the present transaction commits
};

template <typename T>
Result<T> Store::write(const std::function<Result<T>()>& body, Durability durability) {
  Result<void> begun = begin(true, durability);
  if (!begun) return begun.error();
  Result<T> result = body();
  Result<void> ended = end(result.has_value());
  if (!ended) return ended.error();
  return result;
}

template <typename T>
Result<T> Store::read_at_once(const std::function<Result<T>()>& body) {
  Result<void> begun = begin(false, Durability::of_this_boot);
  if (!begun) return begun.error();
  Result<T> result = body();
  Result<void> ended = end(result.has_value());
  if (!ended) return ended.error();
  return result;
}

}  // namespace locker::backends::local
