#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <locker/listing.h>
#include <locker/lock_handle.h>
#include <locker/partition_locker.h>

namespace locker::lockd {

// Something that happened to a request for locks, or is about to.
struct LockEvent {
  enum class Kind {
    asked,  // a request came
    granted,
    refused,   // it ended ungranted: `error` says how
    released,  // let go by its client, or with its session
    lost,      // `error` says why
    broken,    // somebody took it away; `by` and `reason` say who and why
  };

  Kind kind = Kind::asked;
  std::chrono::system_clock::time_point at;
  std::string identity;  // who is behind the session, e.g. "uid:1000"
  std::string session;
  std::string request;                 // AskLock::request
  std::string lock;                    // HeldLock::id; empty before the grant
  std::string entry;                   // the queue's id; empty before it is known
  std::vector<GrantedMember> members;  // tokens are zero before the grant
  OwnerInfo owner;
  std::chrono::system_clock::time_point asked_at;
  std::optional<std::chrono::system_clock::time_point> granted_at;
  std::chrono::milliseconds waited{0};  // granted, refused: by the steady clock
  std::chrono::milliseconds held{0};    // released, lost, broken
  std::optional<Error> error;
  std::string by;
  std::string reason;
};

// Whoever keeps a record of what happens: history, audit, metrics, the stream of events. Called on
// the daemon's one thread; must not block for long.
class Witness {
 public:
  virtual ~Witness() = default;

  // Before a change takes place. An error refuses it: nothing is granted or taken away that can't
  // be recorded by whoever must record it. Errors: unavailable.
  virtual Result<void> about_to(const LockEvent& event) {
    static_cast<void>(event);
    return {};
  }
  // After it.
  virtual void happened(const LockEvent& event) = 0;
};

}  // namespace locker::lockd
