#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <locker/fencing_token.h>
#include <locker/lock_mode.h>
#include <locker/partition_spec.h>

namespace locker {

// The process behind an owner, as it described itself when it asked.
struct OwnerInfo {
  std::string owner;           // Owner::id
  std::string host;            // its host's name
  std::int64_t pid = 0;        // on that host
  std::int64_t pid_start = 0;  // start time of that process in clock ticks since boot: pids repeat
  std::string boot;            // the boot id of that host: a pid means something within one boot
  std::string user;            // user name, or the number where it has none
  std::string application;     // OpenOptions::application
  std::string command;         // the command's name, never its arguments
  std::string reason;          // LockOptions::reason
};

// Somebody who stands in a queue: a holder or a waiter, one for each member of a set.
struct Contender {
  std::string request;  // the request's id; members of a set share it
  OwnerInfo owner;
  std::string session;  // the id of the session that keeps it alive
  PartitionSpec resource;
  LockMode mode = LockMode::exclusive;
  std::chrono::system_clock::time_point since;  // when it asked, by its own wall clock
  FencingToken token;                           // by which it holds, or will hold
  bool holds = false;                           // false: it waits
  std::vector<std::string> blocked_by;          // ids of the requests that it waits for
};

// The order of a table's partition columns and who set it.
struct TableColumns {
  PartitionSpec table;
  std::vector<std::string> columns;
  std::string set_by;  // user@host
  std::chrono::system_clock::time_point set_at;
  bool registered = false;  // by `table register`; false: by the first lock that named columns
};

// What an error knows beyond its sentence.
struct ErrorDetail {
  std::vector<Contender> holders;  // timeout: who holds now; deadlock: the cycle, in its order
  int place = 0;                   // timeout: the waiter's place, 1 = next; 0 = not in the queue
};

// What a waiting request sees; given to LockOptions::on_waiting.
struct WaitStatus {
  int place = 0;                   // how many requests are ahead
  std::vector<Contender> holders;  // those ahead that hold, oldest first
};

// One session as `doctor` sees it.
struct SessionInfo {
  std::string id;
  OwnerInfo process;
  bool alive = false;    // by the backend's own rule (a lease, or the kernel)
  std::string liveness;  // how that is known, half a sentence
  std::chrono::system_clock::time_point opened;
  // Where there are heartbeats and it has places, for only then it sends some.
  std::optional<std::chrono::milliseconds> heartbeat_age;
  // After so long without a word from it the coordinator ends it; nothing where the kernel vouches
  // or nobody knows.
  std::optional<std::chrono::milliseconds> timeout;
  int locks = 0;         // how many places it has in queues
  bool foreign = false;  // another program's: nothing is known of its process
  bool broken = false;   // it may do nothing any more, but its places stand yet
};

// Something that is of no use to anybody any more and that `clean` removes.
struct LeftOver {
  std::string place;                            // where, as the backend names it
  std::string what;                             // what it is, a few words
  std::chrono::system_clock::time_point since;  // made then, by the coordinator's clock
};

}  // namespace locker
