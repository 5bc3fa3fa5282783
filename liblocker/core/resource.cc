#include "core/resource.h"

#include <algorithm>
#include <span>

#include "core/path_codec.h"
#include "core/visible_text.h"

namespace locker::core {
namespace {

// The components of "/a/b/c"; none where the path does not begin with a slash.
std::vector<std::string_view> components_of(std::string_view path) {
  std::vector<std::string_view> components;
  if (!path.starts_with('/')) return components;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    components.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return components;
}

Error not_ours(std::string_view path) {
  return make_error(Errc::invalid, "bad_spec",
                    "'" + visible_text(path) + "' is no path that this library writes.");
}

}  // namespace

Resource Resource::from_path(std::string path) {
  Resource resource;
  resource.path_ = std::move(path);
  return resource;
}

Result<PartitionSpec> Resource::spec() const {
  const std::vector<std::string_view> components = components_of(path_);
  if (components.empty()) return not_ours(path_);
  const auto database = name_of_component(components[0]);
  if (!database) return not_ours(path_);
  PartitionSpec spec(*database);
  if (components.size() > 1) {
    const auto table = name_of_component(components[1]);
    if (!table) return not_ours(path_);
    spec = PartitionSpec(*database, *table);
  }
  for (std::size_t index = 2; index < components.size(); ++index) {
    const auto key = key_of_component(components[index]);
    if (!key) return not_ours(path_);
    spec.with(key->column, key->value);
  }
  // Upper-case names, repeated columns and what is too long were never written by a Resource.
  if (spec.path() != path_ || !spec.check()) return not_ours(path_);
  return spec;
}

bool Resource::covers(const Resource& other) const {
  if (empty() || !other.path_.starts_with(path_)) return false;
  return other.path_.size() == path_.size() || other.path_[path_.size()] == '/';
}

std::vector<Resource> Resource::ancestors() const {
  std::vector<Resource> ancestors;
  for (std::size_t slash = path_.find('/', 1); slash != std::string::npos;
       slash = path_.find('/', slash + 1)) {
    ancestors.push_back(from_path(path_.substr(0, slash)));
  }
  return ancestors;
}

int Resource::depth() const {
  return static_cast<int>(std::ranges::count(path_, '/'));
}

Resource Resource::table() const {
  const std::size_t first = path_.find('/', 1);
  if (first == std::string::npos) return {};
  return from_path(path_.substr(0, path_.find('/', first + 1)));
}

}  // namespace locker::core
