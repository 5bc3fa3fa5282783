#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include <locker/partition_spec.h>

namespace locker::core {

// A lockable place: the path of a checked spec whose columns stand in their table's order,
// "/db[/table[/col=value]…]". Two specs name one place exactly when their resources are equal.
class Resource {
 public:
  Resource() = default;
  // From a spec that passes PartitionSpec::check and is in column order.
  explicit Resource(const PartitionSpec& spec) : path_(spec.path()) {}
  // From a path that was made by path() before, e.g. read back from a store.
  static Resource from_path(std::string path);

  const std::string& path() const { return path_; }
  // The spec again; it never fails for a path that a Resource wrote, and is invalid otherwise.
  Result<PartitionSpec> spec() const;

  // Whether this is `other` or contains it.
  bool covers(const Resource& other) const;
  // Whether locks on both can conflict: one covers the other.
  bool meets(const Resource& other) const { return covers(other) || other.covers(*this); }
  // Everything that contains this one, the database first; without itself.
  std::vector<Resource> ancestors() const;
  // 1 = a database, 2 = a table, more = partitions.
  int depth() const;
  // The containing table; itself for a table, empty for a database.
  Resource table() const;

  bool empty() const { return path_.empty(); }
  friend auto operator<=>(const Resource&, const Resource&) = default;

 private:
  std::string path_;
};

}  // namespace locker::core
