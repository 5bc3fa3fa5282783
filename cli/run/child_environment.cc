#include "cli/run/child_environment.h"

#include "cli/json_text.h"
#include "cli/settings.h"

extern char** environ;

namespace locker::cli {
namespace {

// The kernel's limit for one string, 128 KiB, less the name and some room.
constexpr std::size_t longest_variable = 131072 - 64;

bool is_reserved(std::string_view entry) {
  for (const ReservedVariable& variable : reserved_variables()) {
    if (entry.starts_with(variable.name) && entry.substr(variable.name.size()).starts_with("=")) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool tokens_too_long(const ChildLock& lock) {
  return tokens_json(lock.members).size() > longest_variable;
}

std::vector<std::string> child_environment(const ChildLock& lock) {
  std::vector<std::string> entries;
  for (char** each = environ; *each != nullptr; ++each) {
    if (!is_reserved(*each)) entries.emplace_back(*each);
  }
  std::string resources;
  std::string paths;
  for (const GrantedMember& member : lock.members) {
    resources += (resources.empty() ? "" : "\n") + member.resource.to_string();
    paths += (paths.empty() ? "" : "\n") + member.resource.path();
  }
  const auto add = [&entries](std::string_view name, const std::string& value) {
    if (value.size() <= longest_variable) entries.push_back(std::string(name) + "=" + value);
  };
  add("LOCKER_RESOURCE", resources);
  add("LOCKER_PATH", paths);
  add("LOCKER_ID", lock.id);
  add("LOCKER_TOKEN", lock.token.to_string());
  add("LOCKER_TOKENS", tokens_json(lock.members));
  add("LOCKER_SESSION_TIMEOUT",
      lock.session_timeout ? std::to_string(lock.session_timeout->count()) : "none");
  add("LOCKER_OWNER", lock.owner.to_string());
  add("LOCKER_URL", lock.url);
  return entries;
}

}  // namespace locker::cli
