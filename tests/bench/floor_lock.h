#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/bench/floor_session.h"

namespace locker::bench {

// One lock taken by the least that the library's protocol needs, with nothing around it: no owner,
// lease, deadline or error but an end of the program. A flight of requests is sent back to back:
// the node with its sequence, the children of its directory, the two directories above where locks
// on more than one partition would stand, the table's data. Whoever has a predecessor watches it,
// and lists again when it has gone.
class FloorLock {
 public:
  using Then = std::function<void()>;

  FloorLock(FloorSession& session, const FloorTree& tree, int partition)
      : session_(session), tree_(tree), partition_(partition) {}
  FloorLock(const FloorLock&) = delete;
  FloorLock& operator=(const FloorLock&) = delete;

  // Calls `granted` on the client's completion thread.
  void lock(Then granted);
  // Likewise.
  void unlock(Then gone);

 private:
  static void on_created(int code, const char* path, const Stat* stat, const void* self);
  static void on_mates(int code, const String_vector* names, const void* self);
  static void on_mates_again(int code, const String_vector* names, const void* self);
  static void on_coarse(int code, const String_vector* names, const void* self);
  static void on_table(int code, const char* data, int bytes, const Stat* stat, const void* self);
  static void on_predecessor(int code, const char* data, int bytes, const Stat* stat,
                             const void* self);
  static void on_event(zhandle_t* handle, int type, int state, const char* path, void* self);
  static void on_deleted(int code, const void* self);
  void find_predecessor(const String_vector& names);
  void go_on();
  void look_again();

  FloorSession& session_;
  const FloorTree& tree_;
  int partition_;
  std::string node_;         // its path
  std::string predecessor_;  // its path, or empty
  Then then_;
};

// The same for a set of partitions: one multi, and one flight of looks.
class FloorSet {
 public:
  using Then = std::function<void()>;

  FloorSet(FloorSession& session, const FloorTree& tree, int size);
  FloorSet(const FloorSet&) = delete;
  FloorSet& operator=(const FloorSet&) = delete;

  void lock(Then granted);
  void unlock(Then gone);

 private:
  static void on_done(int code, const void* self);
  static void on_mates(int code, const String_vector* names, const void* self);
  static void on_table(int code, const char* data, int bytes, const Stat* stat, const void* self);

  FloorSession& session_;
  const FloorTree& tree_;
  std::vector<std::string> fronts_;
  std::vector<std::string> paths_;  // where the client writes them; one character too long each
  std::vector<zoo_op_t> operations_;
  std::vector<zoo_op_result_t> results_;
  Stat stat_{};
  Then then_;
};

}  // namespace locker::bench
