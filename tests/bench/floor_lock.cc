#include "tests/bench/floor_lock.h"

#include <string_view>
#include <utility>

namespace locker::bench {
namespace {

constexpr std::size_t sequence_digits = 10;

// The C client hands back what it was given as const.
template <typename T>
T& self_of(const void* self) {
  return *static_cast<T*>(const_cast<void*>(self));
}

std::string_view sequence_of(std::string_view name) {
  return name.substr(name.size() - sequence_digits);
}

void need_or_absent(int code, const char* what) {
  if (code != ZNONODE) need(code, what);
}

}  // namespace

void FloorLock::lock(Then granted) {
  then_ = std::move(granted);
  zhandle_t* const handle = session_.handle();
  need(zoo_acreate2(handle, tree_.node(partition_).c_str(), tree_.data().data(),
                    static_cast<int>(tree_.data().size()), &ZOO_OPEN_ACL_UNSAFE,
                    ZOO_EPHEMERAL_SEQUENTIAL, on_created, this),
       "create");
  need(zoo_aget_children(handle, tree_.directory(partition_).c_str(), 0, on_mates, this), "list");
  for (const std::string& path : tree_.coarse()) {
    need(zoo_aget_children(handle, path.c_str(), 0, on_coarse, this), "list");
  }
  need(zoo_aget(handle, tree_.table().c_str(), 0, on_table, this), "get");
}

void FloorLock::on_created(int code, const char* path, const Stat* /*stat*/, const void* self) {
  need(code, "create");
  self_of<FloorLock>(self).node_ = path;
}

void FloorLock::on_mates(int code, const String_vector* names, const void* self) {
  need(code, "list");
  self_of<FloorLock>(self).find_predecessor(*names);
}

void FloorLock::find_predecessor(const String_vector& names) {
  const std::string_view own = sequence_of(node_);
  std::string_view before;
  for (int i = 0; i < names.count; ++i) {
    const std::string_view name = names.data[i];
    if (sequence_of(name) >= own) continue;
    if (before.empty() || sequence_of(before) < sequence_of(name)) before = name;
  }
  predecessor_.clear();
  if (before.empty()) return;
  predecessor_ = tree_.directory(partition_) + "/";
  predecessor_ += before;
}

void FloorLock::on_coarse(int code, const String_vector* /*names*/, const void* /*self*/) {
  need_or_absent(code, "list");
}

void FloorLock::on_table(int code, const char* /*data*/, int /*bytes*/, const Stat* /*stat*/,
                         const void* self) {
  need(code, "get");
  self_of<FloorLock>(self).go_on();
}

// Granted, or watches whoever is before.
void FloorLock::go_on() {
  if (predecessor_.empty()) return std::exchange(then_, nullptr)();
  need(zoo_awget(session_.handle(), predecessor_.c_str(), on_event, this, on_predecessor, this),
       "get");
}

// Who is before now? The protocol grants nothing on the strength of an event alone.
void FloorLock::look_again() {
  need(zoo_aget_children(session_.handle(), tree_.directory(partition_).c_str(), 0, on_mates_again,
                         this),
       "list");
}

void FloorLock::on_mates_again(int code, const String_vector* names, const void* self) {
  on_mates(code, names, self);
  self_of<FloorLock>(self).go_on();
}

void FloorLock::on_predecessor(int code, const char* /*data*/, int /*bytes*/, const Stat* /*stat*/,
                               const void* self) {
  need_or_absent(code, "get");
  if (code == ZNONODE) self_of<FloorLock>(self).look_again();
}

void FloorLock::on_event(zhandle_t* /*handle*/, int type, int /*state*/, const char* /*path*/,
                         void* self) {
  if (type == ZOO_DELETED_EVENT) self_of<FloorLock>(self).look_again();
}

void FloorLock::unlock(Then gone) {
  then_ = std::move(gone);
  need(zoo_adelete(session_.handle(), node_.c_str(), -1, on_deleted, this), "delete");
}

void FloorLock::on_deleted(int code, const void* self) {
  need(code, "delete");
  std::exchange(self_of<FloorLock>(self).then_, nullptr)();
}

FloorSet::FloorSet(FloorSession& session, const FloorTree& tree, int size)
    : session_(session), tree_(tree) {
  for (int i = 0; i < size; ++i) {
    fronts_.push_back(tree.node(i));
    paths_.emplace_back(fronts_.back().size() + sequence_digits + 2, '\0');
  }
  operations_.resize(fronts_.size() + 1);
  results_.resize(fronts_.size() + 1);
}

void FloorSet::lock(Then granted) {
  then_ = std::move(granted);
  zhandle_t* const handle = session_.handle();
  const std::string& data = tree_.data();
  const int bytes = static_cast<int>(data.size());
  zoo_set_op_init(operations_.data(), tree_.owner().c_str(), data.data(), bytes, -1, &stat_);
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    zoo_create_op_init(&operations_[i + 1], fronts_[i].c_str(), data.data(), bytes,
                       &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL_SEQUENTIAL, paths_[i].data(),
                       static_cast<int>(paths_[i].size()));
  }
  const auto on_created = [](int code, const void* /*self*/) { need(code, "create"); };
  need(zoo_amulti(handle, static_cast<int>(operations_.size()), operations_.data(), results_.data(),
                  on_created, this),
       "create");
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    const std::string& path = tree_.directory(static_cast<int>(i));
    need(zoo_aget_children(handle, path.c_str(), 0, on_mates, this), "list");
  }
  for (const std::string& path : tree_.coarse()) {
    need(zoo_aget_children(handle, path.c_str(), 0, on_mates, this), "list");
  }
  need(zoo_aget(handle, tree_.table().c_str(), 0, on_table, this), "get");
}

void FloorSet::on_mates(int code, const String_vector* /*names*/, const void* /*self*/) {
  need_or_absent(code, "list");
}

void FloorSet::on_table(int code, const char* /*data*/, int /*bytes*/, const Stat* /*stat*/,
                        const void* self) {
  need(code, "get");
  std::exchange(self_of<FloorSet>(self).then_, nullptr)();
}

void FloorSet::unlock(Then gone) {
  then_ = std::move(gone);
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    zoo_delete_op_init(&operations_[i], paths_[i].c_str(), -1);
  }
  need(zoo_amulti(session_.handle(), static_cast<int>(fronts_.size()), operations_.data(),
                  results_.data(), on_done, this),
       "delete");
}

void FloorSet::on_done(int code, const void* self) {
  need(code, "delete");
  std::exchange(self_of<FloorSet>(self).then_, nullptr)();
}

}  // namespace locker::bench
