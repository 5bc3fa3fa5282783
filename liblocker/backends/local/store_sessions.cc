#include <unistd.h>

#include <set>

#include "backends/local/rows.h"
#include "backends/local/store.h"
#include "runtime/process_info.h"

namespace locker::backends::local {
namespace {

constexpr const char* select_process =
    "SELECT host, pid, pid_start, boot, user, application, command FROM sessions WHERE id = ?";

OwnerInfo process_from(const Query& query, int first) {
  OwnerInfo process;
  process.host = query.text(first);
  process.pid = query.number(first + 1);
  process.pid_start = query.number(first + 2);
  process.boot = query.text(first + 3);
  process.user = query.text(first + 4);
  process.application = query.text(first + 5);
  process.command = query.text(first + 6);
  return process;
}

}  // namespace

// The pipes are there and open before the row is: nobody who sees the row can take the session for
// dead. Who removes orphaned pipes may come between, so that they are looked at once more inside
// the transaction, which excludes the remover's.
Result<Pipes> Store::open_session(const std::string& id, const OwnerInfo& process,
                                  WallTime opened) {
  constexpr int tries = 20;
  for (int attempt = 1; true; ++attempt) {
    Result<Pipes> pipes =
        make_pipes(files_.life(id), files_.bell(id), files_.life_mode, files_.file_mode);
    if (!pipes && attempt < tries) {
      // Who cleans up may have come between the making of a pipe and its opening.
      unlink_pipes(id);
      continue;
    }
    if (!pipes) return pipes.error();
    bool removed = false;
    Result<void> inserted = write<void>([&]() -> Result<void> {
      removed =
          !is_pipe_at(pipes->life, files_.life(id)) || !is_pipe_at(pipes->bell, files_.bell(id));
      if (removed) return make_error(Errc::unavailable, "The session's pipes were removed.");
      Query query = database_.query("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
      query.bind(id).bind(process.host).bind(process.pid).bind(process.pid_start);
      query.bind(process.boot).bind(process.user).bind(process.application);
      query.bind(process.command).bind(to_ms(opened)).run();
      return {};
    });
    if (inserted) return pipes;
    unlink_pipes(id);
    if (!removed || attempt == tries) return inserted.error();
  }
}

Result<void> Store::close_session(const std::string& id) {
  Result<void> closed = write<void>([&]() -> Result<void> {
    remove_session(id);
    Query query = database_.query("DELETE FROM breaks WHERE session = ?");
    query.bind(id).run();
    return {};
  });
  if (closed) unlink_pipes(id);
  return closed;
}

Result<Look> Store::look(const std::string& id, const std::vector<std::string>& suspects) {
  Look seen;
  for (const std::string& suspect : suspects) {
    Result<bool> reaped = reap(suspect);
    if (!reaped) return reaped.error();
    if (!*reaped) seen.alive.push_back(suspect);
  }
  // A writing transaction, so that it comes after the one that rang.
  Result<void> heard = write<void>([&]() -> Result<void> {
    Result<void> living = check_session(id);
    if (!living) return living;
    {
      Query query =
          database_.query("SELECT position, member FROM watches WHERE session = ? AND fired = 1");
      query.bind(id);
      while (query.next()) seen.nodes.push_back(node_of(query.number(0), query.number(1)));
    }
    if (seen.nodes.empty()) return {};
    Query query = database_.query("DELETE FROM watches WHERE session = ? AND fired = 1");
    query.bind(id).run();
    return {};
  });
  if (heard) return seen;
  if (heard.error().errc == Errc::lost) {
    seen.over = std::move(heard).error();
    return seen;
  }
  // What was seen before a full file system refused to forget it is true all the same.
  if (!seen.nodes.empty()) return seen;
  return heard.error();
}

bool Store::is_dead(const std::string& session, const OwnerInfo& process) const {
  switch (life_at(files_.life(session))) {
    case Life::alive:
    case Life::unknown:  // Whoever can't be asked is never taken for dead.
      return false;
    case Life::dead:
      return true;
    case Life::missing:
      // Pipes go after their row, so somebody removed this one by hand. Then the process itself is
      // the best witness left.
      return !runtime::process_alive(process);
  }
  return false;
}

std::optional<std::int64_t> Store::living_position_of(const std::string& id,
                                                      const std::string& request) {
  std::int64_t position = 0;
  std::string session;
  {
    Query query = database_.query("SELECT position, session FROM requests WHERE id = ?");
    query.bind(request);
    if (!query.next()) return std::nullopt;
    position = query.number(0);
    session = query.text(1);
  }
  if (session == id) return position;
  if (is_broken(session)) return std::nullopt;
  Query query = database_.query(select_process);
  query.bind(session);
  if (!query.next() || is_dead(session, process_from(query, 0))) return std::nullopt;
  return position;
}

Result<std::vector<std::string>> Store::dead_among(const std::set<std::string>& sessions) {
  return read_at_once<std::vector<std::string>>([&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> dead;
    for (const std::string& session : sessions) {
      Query query = database_.query(select_process);
      query.bind(session);
      if (query.next() && is_dead(session, process_from(query, 0))) dead.push_back(session);
    }
    return dead;
  });
}

Result<bool> Store::reap(const std::string& session) {
  bool living = false;
  Result<void> reaped = write<void>([&]() -> Result<void> {
    {
      Query query = database_.query(select_process);
      query.bind(session);
      if (!query.next()) return {};  // Somebody else was first.
      living = !is_dead(session, process_from(query, 0));
    }
    if (!living) remove_session(session);
    return {};
  });
  if (!reaped) return reaped.error();
  if (living) return false;
  // Also the pipes of one that another process removed: a broken session that has ended.
  if (life_at(files_.life(session)) != Life::alive) unlink_pipes(session);
  return true;
}

Result<std::vector<SessionInfo>> Store::sessions() {
  return read_at_once<std::vector<SessionInfo>>([&]() -> Result<std::vector<SessionInfo>> {
    std::vector<SessionInfo> result;
    Query query = database_.query(
        "SELECT s.id, s.host, s.pid, s.pid_start, s.boot, s.user, s.application, s.command,"
        " s.opened_ms, (SELECT count(*) FROM requests r JOIN tickets t ON t.position = r.position"
        " WHERE r.session = s.id) FROM sessions s ORDER BY s.opened_ms, s.id");
    while (query.next()) {
      SessionInfo session;
      session.id = query.text(0);
      session.process = process_from(query, 1);
      session.alive = !is_dead(session.id, session.process);
      session.liveness = session.alive
                             ? "its process, or the keeper of its command, holds the life "
                               "pipe open"
                             : "no process holds its life pipe open";
      session.opened = from_ms(query.number(8));
      session.locks = static_cast<int>(query.number(9));
      result.push_back(std::move(session));
    }
    return result;
  });
}

Result<void> Store::break_session(const std::string& id, const std::string& reason,
                                  const OwnerInfo& breaker, WallTime at) {
  return write<void>(
      [&]() -> Result<void> {
        {
          Query query = database_.query("SELECT 1 FROM sessions WHERE id = ?");
          query.bind(id);
          if (!query.next()) {
            return make_error(Errc::not_found, "There is no session " + id + " to be broken.");
          }
        }
        Query query = database_.query("INSERT OR REPLACE INTO breaks VALUES (?, ?, ?, ?, ?, ?)");
        query.bind(id).bind(reason).bind(breaker.user).bind(breaker.host).bind(breaker.pid);
        query.bind(to_ms(at)).run();
        // Its places stand on: it has yet to hear of it, and may be writing.
        bells_.insert(id);
        return {};
      },
      Durability::for_ever);
}

Result<void> Store::remove_broken(const std::string& id) {
  return write<void>([&]() -> Result<void> {
    if (is_broken(id)) remove_session(id);
    return {};
  });
}

Result<int> Store::clean(WallTime now) {
  Result<std::vector<SessionInfo>> all = sessions();
  if (!all) return all.error();
  int removed = 0;
  for (const SessionInfo& session : *all) {
    if (session.alive) continue;
    Result<bool> reaped = reap(session.id);
    if (!reaped) return reaped.error();
    if (*reaped) removed += 1 + session.locks;
  }
  Result<int> orphans = remove_orphans();
  if (!orphans) return orphans.error();
  return removed + *orphans + remove_unfinished(now);
}

void Store::unlink_pipes(const std::string& session) const {
  ::unlink(files_.life(session).c_str());
  ::unlink(files_.bell(session).c_str());
}

}  // namespace locker::backends::local
