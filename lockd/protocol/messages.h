#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <locker/listing.h>
#include <locker/lock_handle.h>
#include <locker/partition_locker.h>
#include <locker/result.h>

// What the daemon and its clients say to each other, as values: one struct is one JSON object, and
// docs/lockd-api.md shows each. Times in JSON are whole milliseconds with `_ms` in the name, or UTC
// in RFC 3339; a resource is its slash form; a token its 26 characters.
namespace locker::lockd {

using Milliseconds = std::chrono::milliseconds;

// By what a client's session lives.
enum class SessionKind {
  lease,       // while it is renewed
  connection,  // while the connection that opened it is there, and while it is renewed
  process,     // while a process of this host is there; by Unix socket only
};

// "lease", "connection", "process".
std::string_view name_of(SessionKind kind);

// POST /v1/sessions
struct OpenSession {
  SessionKind kind = SessionKind::lease;
  // How long the session lives without a renewal, and how long its client may believe in what it
  // holds without an answer. A process session lives on; only its client's belief ends.
  Milliseconds lease = std::chrono::seconds(30);
  // Who asks, for listings. Over a Unix socket the daemon itself fills in host, process and user.
  OwnerInfo client;
  // The process that the session lives by; 0: the one at the other end of the socket.
  std::int64_t pid = 0;
};

// The answer to it, and GET /v1/sessions/{id}
struct OpenedSession {
  std::string id;
  SessionKind kind = SessionKind::lease;
  Milliseconds lease{0};  // what the daemon grants
  // The owner of whatever this session asks for without naming one: `<id>:<secret>`. Told to the
  // one who opens the session and never again.
  std::string owner;
  // How long before the end of the belief a holder must be told to stop that only does so on a
  // word.
  Milliseconds stopping_time{0};
};

// POST /v1/sessions/{id}:renew
struct Renew {
  // Answer at once when there is news, else after so long; zero: at once.
  Milliseconds wait{0};
  // The newest news that the client has; older ones are forgotten.
  std::uint64_t seen = 0;
};

// Something that happened to a request or a lock of a session.
struct News {
  enum class Kind { waiting, lost };

  std::uint64_t sequence = 0;
  Kind kind = Kind::waiting;
  std::string request;  // AskLock::request
  std::string lock;     // lost: the lock's id
  WaitStatus waiting;   // waiting: who is ahead now
  Error error;          // lost: why
};

struct Renewed {
  Milliseconds lease{0};
  // How long the client may believe in what it holds, counted from the sending of this request.
  Milliseconds valid_for{0};
  std::vector<News> news;
};

// POST /v1/locks. It is parked until the request is granted or has ended otherwise; one whose
// connection closes meanwhile leaves the queue.
struct AskLock {
  std::string session;
  // The client's own name for this request, at most 64 letters, digits, `-`, `_`, `.`; empty: the
  // daemon makes one. A second request of this name in the session, with the same members, is the
  // first one: it gets the same answer.
  std::string request;
  LockSet members;
  Milliseconds timeout = default_timeout;  // `"inf"`: wait_for_ever
  std::string reason;
  std::string owner;          // `<id>:<secret>`; empty: the session's own
  bool tell_waiting = false;  // send news of the wait
};

// A lock of a session: the answer to it, and GET /v1/locks/{id}
struct HeldLock {
  std::string id;       // of this hold; an owner that asks twice for one thing has two
  std::string request;  // AskLock::request, or the name that the daemon made
  std::string entry;    // the queue's id of it, as in every listing
  std::string session;
  std::string owner;  // the owner's id, without its secret
  std::vector<GrantedMember> members;
  FencingToken token;
  bool escalated = false;
  LockState state = LockState::held;
  // How long the client may believe in it, counted from the sending of the request that this
  // answers; for a parked one from the sending of the last answered renewal.
  Milliseconds valid_for{0};
  std::chrono::system_clock::time_point granted_at;
};

// POST /v1/locks/{id}:release, `:downgrade`
struct WithToken {
  FencingToken token;
};

// POST /v1/locks/{id}:give
struct GiveLock {
  FencingToken token;
  std::string owner;  // `<id>:<secret>`
};

// POST /v1/locks/{id}:record
struct RecordUnderLock {
  FencingToken token;
  std::string key;
  std::string value;
};

// POST /v1/locks:release, for whoever has no lock's id: the newest that this owner holds through
// this session on exactly this resource.
struct ReleaseByName {
  std::string session;
  std::string owner;  // empty: the session's own
  PartitionSpec resource;
};
// The answer: which lock it was.
struct ReleasedLock {
  std::string id;
};

// POST /v1/locks/{id}:break, where the id is a lock's, or the queue's id of any holder.
struct BreakLock {
  std::string reason;
};

// POST /v1/locks:blockers and :wait
struct Look {
  std::string session;  // empty: of an owner of its own
  std::string owner;
  LockSet members;
  Milliseconds timeout = default_timeout;  // :wait
  std::string reason;                      // :wait
};

// POST /v1/locks:check
struct CheckToken {
  PartitionSpec resource;
  FencingToken token;
};

// GET /v1/locks?prefix=…&above=…&limit=…&after=…
struct Contenders {
  std::vector<Contender> contenders;
  std::string next;  // for `after`; empty: that was all
};

// GET /v1/store
struct StoreFacts {
  std::string version;  // the daemon's
  std::string url;      // the coordinator's
  std::vector<std::string> warnings;
  std::vector<std::string> advice;
};

// PUT /v1/tables/{db.table}
struct RegisterTable {
  std::vector<std::string> columns;
  bool replace = false;
};

// POST /v1/partitions:prepare
struct Prepare {
  std::vector<PartitionSpec> partitions;
  std::chrono::system_clock::time_point until;
};

// GET /v1/history?resource=…&since=…&until=…&limit=…: who held or waited, one entry each.
struct HistoryEntry {
  std::string entry;  // the queue's id
  PartitionSpec resource;
  LockMode mode = LockMode::exclusive;
  OwnerInfo owner;
  FencingToken token;
  std::chrono::system_clock::time_point asked_at;
  std::optional<std::chrono::system_clock::time_point> granted_at;
  std::optional<std::chrono::system_clock::time_point> ended_at;  // nothing: it stands yet
  std::string end;  // "released", "lost", "broken", "timeout", "cancelled", "deadlock", …
};

}  // namespace locker::lockd
