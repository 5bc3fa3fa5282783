#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <locker/listing.h>
#include <locker/lock_handle.h>
#include <locker/lock_mode.h>
#include <locker/owner.h>
#include <locker/partition_spec.h>
#include <locker/pending.h>
#include <locker/result.h>

namespace locker {

namespace runtime {
class LockerThread;
}

// One member of a set: a resource and how to lock it.
struct LockMember {
  PartitionSpec resource;
  LockMode mode = LockMode::exclusive;
};

// A set is taken at once: all members are enqueued in one atomic step, so two sets never wait for
// each other. A single lock is a set of one.
using LockSet = std::vector<LockMember>;

// The wait of a lock that may take for ever.
inline constexpr std::chrono::milliseconds wait_for_ever = std::chrono::milliseconds::max();
// The wait of a lock that says nothing else.
inline constexpr std::chrono::milliseconds default_timeout = std::chrono::seconds(300);

// How a break ended.
enum class Broken {
  let_go,  // the holder has let go of all that it lost, or its processes have ended
  forced,  // it did not in time, so its places were taken away: its processes may still be writing
};

struct LockOptions {
  // No aggregate: g++ 12 miscompiles a braced aggregate inside a co_await expression.
  LockOptions() = default;
  LockOptions(const LockOptions&) = default;
  LockOptions(LockOptions&&) = default;
  LockOptions& operator=(const LockOptions&) = default;
  LockOptions& operator=(LockOptions&&) = default;
  ~LockOptions() = default;

  // How long to wait for the grant. Zero tries: busy resources are told without a trace in the
  // coordinator. It becomes a deadline at the call and is never re-armed.
  std::chrono::milliseconds timeout = default_timeout;
  // Who asks; none: the calling thread for a blocking call, an owner of its own for an awaitable.
  std::optional<Owner> owner;
  // Why, for those who wait: shown in listings. At most 256 bytes.
  std::string reason;
  // Ends the wait with `cancelled`; nothing stays in the queue.
  std::stop_token cancel;
  // Called on the locker's own thread when the wait begins, and later when those ahead have
  // changed: at once where the youngest of them went, else within five seconds. It must not block.
  std::function<void(const WaitStatus&)> on_waiting;
};

struct OpenOptions {
  std::string application;  // shown in listings; empty: none
  std::string command;      // likewise, a name without arguments; empty: this program's
  // How long a call waits for the coordinator before it answers `unavailable`.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(15);
  // The session time-out asked for; backends without leases ignore it.
  std::chrono::milliseconds session_timeout = std::chrono::seconds(30);
};

// Locks partitions so that one writer at a time touches each.
//
// Open one for a process and share it: every member may be called from any thread, and any number
// of waits costs no thread. Closing a locker lets go of all its locks and touches no other's.
//
// What is promised and what is not stands in docs/promises.md.
class PartitionLocker {
 public:
  // Opens a session with the coordinator that the URL names: `local:` (one host, no server, the
  // default store), `local:/dir`. Errors: config (bad URL), unavailable, unauthorized, mismatch.
  static Result<PartitionLocker> open(std::string_view url, OpenOptions options = {});

  PartitionLocker(PartitionLocker&&) noexcept;
  PartitionLocker& operator=(PartitionLocker&&) noexcept;
  ~PartitionLocker();

  // Waits for an exclusive lock on one resource. Errors: timeout (with the present holders),
  // deadlock (with the cycle), cancelled, lost, invalid, unavailable, rate_limited.
  Result<LockHandle> lock(const PartitionSpec& resource, const LockOptions& options = {});
  // The same for a set, each member with its mode: all or nothing, one deadline.
  Result<LockHandle> lock(const LockSet& members, const LockOptions& options = {});

  // Waits at most `timeout`; zero takes it now or answers `timeout`.
  Result<LockHandle> try_lock(const PartitionSpec& resource,
                              std::chrono::milliseconds timeout = std::chrono::milliseconds(0));

  // The same as awaitables. A blocking call is one of these and `get`.
  // With g++ 12 give a name to whatever is more than a name in `co_await locker.async_lock(…)`,
  // above all to a set: it miscompiles braced arguments there.
  Pending<LockHandle> async_lock(const PartitionSpec& resource);
  Pending<LockHandle> async_lock(const PartitionSpec& resource, const LockOptions& options);
  Pending<LockHandle> async_lock(const LockSet& members);
  Pending<LockHandle> async_lock(const LockSet& members, const LockOptions& options);

  // Lets go of the newest lock on exactly this resource that `owner` (default: the calling thread)
  // holds through this locker, for callers without a handle. Error: invalid (not held), lost.
  Result<void> unlock(const PartitionSpec& resource, const std::optional<Owner>& owner = {});

  // Everybody at or below `prefix` (none: everywhere), and with `above` those whose lock on
  // something above covers it: holders and waiters in queue order, each with blocked_by.
  Result<std::vector<Contender>> list(const std::optional<PartitionSpec>& prefix = {},
                                      bool above = false);

  // Whom a request for these members would wait for now, oldest first; empty: it would be granted.
  // Writes nothing.
  Result<std::vector<Contender>> blockers(const LockSet& members,
                                          const std::optional<Owner>& owner = {});

  // Waits until a request for these members would be granted, and holds nothing. Error: timeout.
  Result<void> wait_until_free(const LockSet& members, const LockOptions& options = {});

  // Ends every lock of the session that this holder belongs to, for good; its holder is told `lost`
  // at once. `holder` is a Contender's request id. Nobody else is granted beside a holder that is
  // just being told: its places go when it has let go of what it lost or its process has ended, and
  // after one session time-out (10 s where there is none) in any case. Returns when they are gone.
  // Errors: not_found, invalid (no reason).
  Result<Broken> break_session(std::string_view holder, std::string_view reason);

  // The sessions that have anything at or below `prefix`, and their health.
  Result<std::vector<SessionInfo>> sessions(const std::optional<PartitionSpec>& prefix = {});
  // What nobody needs any more, beside the sessions above.
  Result<std::vector<LeftOver>> left_overs();
  // Removes what dead sessions left behind, and what is left over; how many things were removed.
  Result<int> clean();

  // Makes the coordinator's places for partitions ahead of their first lock, so that it takes no
  // longer than any; they are kept until `until`, and go by `clean` after it. How many had to be
  // made; nothing where the coordinator needs no preparation.
  Result<std::optional<int>> prepare(const std::vector<PartitionSpec>& partitions,
                                     std::chrono::system_clock::time_point until);

  // The order of a table's partition columns; nothing if none is fixed yet.
  Result<std::optional<TableColumns>> table_columns(const PartitionSpec& table);
  // Every table with a fixed order.
  Result<std::vector<TableColumns>> tables();
  // Fixes the order. Without `replace`, another fixed order is `conflict`; with it the table is
  // locked first. Errors: conflict, invalid, timeout.
  Result<void> register_table(const PartitionSpec& table, const std::vector<std::string>& columns,
                              bool replace = false);
  // Forgets the order, under the table's lock. Error: not_found.
  Result<void> unregister_table(const PartitionSpec& table);

  // Records under a held lock that `key` was done; refused with `lost` or `fenced` once the lock is
  // gone, by the coordinator itself and not by belief. The record outlives the lock.
  Result<void> record(const LockHandle& held, std::string_view key, std::string_view value);
  // Reads such a record.
  Result<std::optional<std::string>> recorded(std::string_view key);
  // Removes it, whoever holds what; success if there is none.
  Result<void> forget_record(std::string_view key);

  // The negotiated session time-out; nothing where the kernel vouches for liveness.
  std::optional<std::chrono::milliseconds> session_timeout() const;
  // How long before the end of LockHandle::valid_for() a holder must be told to stop that only does
  // so on a word, as a command under `locker run`: a tenth of the session time-out. Nothing where
  // the kernel vouches.
  std::optional<std::chrono::milliseconds> stopping_time() const;
  // The coordinator's URL, with every default filled in.
  std::string url() const;
  // Sentences for the user about this store that must always be shown, e.g. that other users are
  // not excluded by it.
  std::vector<std::string> warnings() const;
  // Sentences for whoever looks after the store, e.g. that strangers are not kept out of it.
  std::vector<std::string> advice() const;
  // A descriptor that keeps this session alive in whichever process holds a copy of it; -1 where a
  // session does not live by descriptors. It stays the locker's: duplicate it.
  int liveness_descriptor() const;

 private:
  explicit PartitionLocker(std::shared_ptr<runtime::LockerThread> thread);

  std::shared_ptr<runtime::LockerThread> thread_;
};

}  // namespace locker
