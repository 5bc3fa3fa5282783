#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <locker/fencing_token.h>
#include <locker/lock_mode.h>
#include <locker/owner.h>
#include <locker/partition_spec.h>
#include <locker/pending.h>
#include <locker/result.h>

namespace locker {

class PartitionLocker;

namespace runtime {
class HandleState;
}

// A member of a lock, as granted.
struct GrantedMember {
  PartitionSpec resource;
  LockMode mode = LockMode::exclusive;
  FencingToken token;
};

// What a handle is worth.
//
//   held ──no contact──▶ suspended ──contact──▶ held
//     └──────────────────────┴──lease over, session ended, broken──▶ lost (for good)
//   any ──unlock──▶ released
enum class LockState {
  held,       // go on
  suspended,  // no contact with the coordinator, still valid for valid_for()
  lost,       // stop writing
  released,   // let go by unlock()
};

// A granted lock, alone or a set. Move-only; its destructor lets go. Every member may be called
// from any thread. It may outlive its locker: it is `lost` then.
class LockHandle {
 public:
  LockHandle() = default;  // empty: released
  explicit LockHandle(std::shared_ptr<runtime::HandleState> state);
  LockHandle(LockHandle&&) noexcept = default;
  LockHandle& operator=(LockHandle&& other) noexcept;
  LockHandle(const LockHandle&) = delete;
  LockHandle& operator=(const LockHandle&) = delete;
  ~LockHandle();

  LockState state() const;
  // Whether the holder may still write: held or suspended.
  bool held() const;
  // How long the holder may believe in its lock without hearing from anyone, counted on the
  // boot-time clock; zero once lost or released, milliseconds::max() where the kernel vouches.
  std::chrono::milliseconds valid_for() const;

  // The request's id; it is part of every listing.
  std::string id() const;
  // The greatest token of the members: give it to whatever stores the data.
  FencingToken token() const;
  // Every member with its token. After an escalation these are the tables, not what was asked.
  std::vector<GrantedMember> members() const;
  // Whether the set was too large for one step and tables were locked instead.
  bool escalated() const;
  Owner owner() const;

  // Requested once the lock is lost or released.
  std::stop_token stop_token() const;
  // Calls `callback` once, on the locker's own thread, when the lock is lost; at once, on the
  // calling thread, if it is lost already. It must not block. One callback a handle.
  void on_lost(std::function<void(const Error&)> callback);

  // Calls `callback` on the locker's own thread, soon and again each time that valid_for() has
  // grown, with the time at which it will be zero (milliseconds of CLOCK_BOOTTIME); never where the
  // kernel vouches. For whoever stops the holder from another process. It must not block.
  void on_renewed(std::function<void(std::chrono::milliseconds valid_until)> callback);

  // Makes an exclusive lock shared without letting anybody in between. From the moment of this
  // call the holder only reads. Error: lost, unavailable (believe in shared all the same).
  Result<void> downgrade();

  // Gives the lock to another owner: it leaves the count of the one who asked for it, whose next
  // request waits for it like anybody's. Call it before you move a handle to another thread, with
  // Owner::create() or that thread's owner; a handle alone can't know who will use it. Errors:
  // lost, invalid (another handle or a child process counts on it, or an owner waits), unavailable.
  Result<void> give_to(const Owner& owner);

  // Lets go, and returns when the coordinator has confirmed it. Errors: lost (it was gone already),
  // invalid (nothing is held), unavailable (it will be let go in the background).
  Result<void> unlock();
  // The same as an awaitable. The handle is empty from this call on.
  Pending<void> async_unlock();

 private:
  friend class PartitionLocker;

  std::shared_ptr<runtime::HandleState> state_;
};

}  // namespace locker
