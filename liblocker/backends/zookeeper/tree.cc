#include "backends/zookeeper/tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

#include "core/lock_name.h"
#include "core/path_codec.h"
#include "runtime/owner_proof.h"

namespace locker::backends::zookeeper {
namespace {

constexpr std::size_t id_digits = 32;

// Splits the 64 digits of a node's id.
std::optional<NodeName> split(LockMode mode, const std::string& id, std::int32_t sequence) {
  if (id.size() != 2 * id_digits) return std::nullopt;
  return NodeName{mode, id.substr(0, id_digits), id.substr(id_digits), sequence, false};
}

struct ForeignForm {
  std::string_view middle;
  LockMode mode;
};

constexpr std::array foreign_forms{
    ForeignForm{"lock-", LockMode::exclusive}, ForeignForm{"__lock__", LockMode::exclusive},
    ForeignForm{"__rlock__", LockMode::shared}, ForeignForm{"__WRIT__", LockMode::exclusive},
    ForeignForm{"__READ__", LockMode::shared}};

std::optional<NodeName> read_foreign(std::string_view child) {
  // That is a partition, whatever its value ends with.
  if (child.find('=') != std::string_view::npos) return std::nullopt;
  constexpr std::size_t width = 10;
  // The least number of all has eleven characters.
  for (const std::size_t length : {width, width + 1}) {
    if (child.size() <= length) continue;
    const std::string_view digits = child.substr(child.size() - length);
    std::int32_t sequence = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, sequence);
    if (error != std::errc() || stopped != end) continue;
    const std::string_view front = child.substr(0, child.size() - length);
    const auto* const form = std::ranges::find_if(
        foreign_forms, [&](const ForeignForm& one) { return front.ends_with(one.middle); });
    if (form == foreign_forms.end()) continue;
    return NodeName{form->mode, std::string(child), std::string(child), sequence, true};
  }
  return std::nullopt;
}

}  // namespace

std::string Tree::wait(const std::string& owner, const std::string& request) const {
  return waits() + "/" + owner + "." + request;
}

std::string Tree::record(const std::string& key) const {
  return records() + "/" + runtime::text_hash(key);
}

std::string Tree::coarse(const core::Resource& resource) const {
  return directory(resource) + "/.coarse";
}

std::string Tree::registered(const core::Resource& table) const {
  return directory(table) + "/.registered";
}

std::string lock_prefix(LockMode mode, const std::string& request, const std::string& owner) {
  return core::lock_name_prefix(mode, request + owner);
}

std::string companion_name(LockMode mode, const std::string& request, const std::string& owner) {
  return core::to_string(core::CompanionName{mode, request + owner});
}

std::optional<NodeName> read_lock_name(std::string_view child) {
  if (const auto ours = core::parse_lock_name(child)) {
    if (auto name = split(ours->mode, ours->id, ours->sequence)) return name;
  }
  return read_foreign(child);
}

std::optional<NodeName> read_companion_name(std::string_view child) {
  const auto ours = core::parse_companion_name(child);
  if (!ours) return std::nullopt;
  return split(ours->mode, ours->id, 0);
}

bool is_resource_name(std::string_view child, int depth) {
  constexpr int deepest_name = 2;  // a database, a table
  if (child.starts_with('.')) return false;
  return depth <= deepest_name ? core::name_of_component(child).has_value()
                               : core::key_of_component(child).has_value();
}

std::string session_name(std::int64_t session) {
  constexpr std::size_t width = 16;
  std::array<char, width> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                          static_cast<std::uint64_t>(session), 16);
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  return std::string(width - text.size(), '0') + std::string(text);
}

}  // namespace locker::backends::zookeeper
