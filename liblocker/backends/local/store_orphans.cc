#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "backends/local/store.h"
#include "backends/local/system_error.h"

namespace locker::backends::local {
namespace {

// A database that is being made is complete within moments; one this old was given up.
constexpr std::chrono::hours unfinished_age{1};

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  DIR* open = ::opendir(directory.c_str());
  if (open == nullptr) return names;
  while (const dirent* entry = ::readdir(open)) names.emplace_back(entry->d_name);
  ::closedir(open);
  return names;
}

// The session that a pipe's name tells; empty if it is no name of ours.
std::string session_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  const std::string ending = name.substr(dot);
  return ending == ".life" || ending == ".bell" ? name.substr(0, dot) : std::string();
}

}  // namespace

int Store::remove_unfinished(WallTime now) const {
  const std::string& directory = files_.directory;
  int removed = 0;
  for (const std::string& name : names_in(directory)) {
    if (!name.starts_with("locks.new-")) continue;
    const std::string path = directory + "/" + name;
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0) continue;
    const auto changed = std::chrono::system_clock::from_time_t(facts.st_mtime);
    if (now - changed > unfinished_age && ::unlink(path.c_str()) == 0) ++removed;
  }
  return removed;
}

// Who was broken and has ended needs no explanation any more.
void Store::forget_breaks() {
  std::vector<std::string> ended;
  {
    Query query = database_.query("SELECT session FROM breaks");
    while (query.next()) {
      const Life life = life_at(files_.life(query.text(0)));
      if (life == Life::dead || life == Life::missing) ended.push_back(query.text(0));
    }
  }
  for (const std::string& session : ended) {
    Query query = database_.query("DELETE FROM breaks WHERE session = ?");
    query.bind(session).run();
  }
}

// Inside a writing transaction, as a session checks its own pipes there before it becomes visible.
Result<int> Store::remove_orphans() {
  const std::vector<std::string> names = names_in(files_.sessions());
  int removed = 0;
  Result<void> done = write<void>([&]() -> Result<void> {
    std::set<std::string> orphans;
    for (const std::string& name : names) {
      const std::string session = session_of(name);
      if (session.empty() || orphans.contains(session)) continue;
      Query query = database_.query("SELECT 1 FROM sessions WHERE id = ?");
      query.bind(session);
      const bool known = query.next();
      if (database_.failed()) break;
      const Life life = life_at(files_.life(session));
      if (!known && (life == Life::dead || life == Life::missing)) orphans.insert(session);
    }
    for (const std::string& session : orphans) {
      unlink_pipes(session);
      ++removed;
    }
    forget_breaks();
    return {};
  });
  if (!done) return done.error();
  return removed;
}

}  // namespace locker::backends::local
