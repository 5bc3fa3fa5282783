#include <map>
#include <set>

#include "backends/local/rows.h"
#include "backends/local/store.h"

namespace locker::backends::local {

using runtime::Joined;
using runtime::Request;
using runtime::StandingTicket;

namespace {

// A counter of one boot below the number of the boot: 2^40 requests a boot.
constexpr int epoch_shift = 40;

// The first string after every path that begins with `path` and a slash; '0' follows '/'.
std::string end_of_subtree(const std::string& path) {
  return path + "0";
}

void insert_ticket(Database& database, std::uint64_t position, std::size_t member,
                   const core::Place& place) {
  Query query = database.query("INSERT INTO tickets VALUES (?, ?, ?, ?)");
  query.bind(position).bind(std::uint64_t{member}).bind(place.resource.path());
  query.bind(name_of(place.mode)).run();
}

void insert_request(Database& database, std::uint64_t position, const std::string& session,
                    const Request& request) {
  const OwnerInfo& owner = request.owner;
  Query query =
      database.query("INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  query.bind(position).bind(request.id).bind(session).bind(owner.owner).bind(request.proof);
  query.bind(owner.host).bind(owner.pid).bind(owner.pid_start).bind(owner.boot);
  query.bind(owner.user).bind(owner.application).bind(owner.command).bind(owner.reason);
  query.bind(to_ms(request.since)).run();
}

void collect(Query& query, std::map<std::string, StandingTicket>& found) {
  std::vector<StandingTicket> rows;
  read_tickets(query, rows);
  for (StandingTicket& row : rows) {
    const std::string node = row.ticket.node;
    found.emplace(node, std::move(row));
  }
}

// Everything that meets one of the places: each place and what contains it by its very path, and
// what is below it as a range of paths. Members of a set share most of their ancestors.
std::vector<StandingTicket> meeting(Database& database, const std::vector<core::Place>& places) {
  std::set<std::string> paths;
  for (const core::Place& place : places) {
    paths.insert(place.resource.path());
    for (const core::Resource& above : place.resource.ancestors()) paths.insert(above.path());
  }
  std::map<std::string, StandingTicket> found;
  for (const std::string& path : paths) {
    Query query = database.query(LOCKER_SELECT_TICKETS("WHERE t.path = ?"));
    query.bind(path);
    collect(query, found);
  }
  for (const core::Place& place : places) {
    const std::string& path = place.resource.path();
    Query query = database.query(LOCKER_SELECT_TICKETS("WHERE t.path > ? AND t.path < ?"));
    query.bind(path + "/").bind(end_of_subtree(path));
    collect(query, found);
  }
  // Node names begin with the position in fixed width, so this is the order of the queue.
  std::vector<StandingTicket> result;
  result.reserve(found.size());
  for (auto& [node, standing] : found) result.push_back(std::move(standing));
  return result;
}

}  // namespace

std::uint64_t Store::next_position() {
  std::int64_t epoch = 0;
  {
    Query query = database_.query("SELECT value FROM meta WHERE name = 'epoch'");
    if (query.next()) epoch = query.number(0);
  }
  Query query =
      database_.query("UPDATE meta SET value = value + 1 WHERE name = 'counter' RETURNING value");
  std::int64_t counter = 0;
  while (query.next()) counter = query.number(0);
  if (!database_.failed() && (counter <= 0 || counter >> epoch_shift != 0)) {
    database_.fail(make_error(Errc::internal, "The counter of tokens is out of its range."));
  }
  return static_cast<std::uint64_t>((epoch << epoch_shift) + counter);
}

std::optional<Joined> Store::joined_of(const Request& request) {
  std::int64_t position = 0;
  {
    Query query = database_.query("SELECT position FROM requests WHERE id = ?");
    query.bind(request.id);
    if (!query.next()) return std::nullopt;
    position = query.number(0);
  }
  Joined joined;
  std::vector<StandingTicket> rows;
  Query query = database_.query(LOCKER_SELECT_TICKETS("WHERE t.position = ? ORDER BY t.member"));
  query.bind(position);
  read_tickets(query, rows);
  for (StandingTicket& row : rows) {
    joined.tokens.push_back(row.token);
    joined.tickets.push_back(std::move(row.ticket));
  }
  return joined;
}

Result<Joined> Store::join(const std::string& id, const Request& request) {
  bool writes_order = false;
  auto attempt = [&](Durability durability) {
    return write<Joined>(
        [&]() -> Result<Joined> {
          Result<void> living = check_session(id);
          if (!living) return living.error();
          if (std::optional<Joined> before = joined_of(request)) return *before;
          std::vector<TableColumns> longer;
          if (!check_columns(request, longer)) return Joined{true, {}, {}, {}};
          writes_order = !longer.empty();
          if (writes_order && durability != Durability::for_ever) return Joined{};
          for (const TableColumns& order : longer) put_columns(order);
          const std::uint64_t position = next_position();
          insert_request(database_, position, id, request);
          for (std::size_t member = 0; member < request.places.size(); ++member) {
            insert_ticket(database_, position, member, request.places[member]);
          }
          return joined_of(request).value_or(Joined{});
        },
        durability);
  };
  // Orders outlive the boot, tickets don't; and only the first lock of a table writes an order.
  Result<Joined> joined = attempt(Durability::of_this_boot);
  if (joined && writes_order) joined = attempt(Durability::for_ever);
  return joined;
}

Result<std::optional<Joined>> Store::find(const std::string& id, const Request& request) {
  return write<std::optional<Joined>>([&]() -> Result<std::optional<Joined>> {
    Result<void> living = check_session(id);
    if (!living) return living.error();
    return joined_of(request);
  });
}

Result<std::vector<StandingTicket>> Store::standing(const std::string& id,
                                                    const std::vector<core::Place>& places) {
  while (true) {
    Result<std::vector<StandingTicket>> found =
        read_at_once<std::vector<StandingTicket>>([&]() -> Result<std::vector<StandingTicket>> {
          Result<void> living = check_session(id);
          if (!living) return living.error();
          return meeting(database_, places);
        });
    if (!found) return found;
    std::set<std::string> others;
    for (const StandingTicket& standing : *found) {
      if (standing.session != id) others.insert(standing.session);
    }
    if (others.empty()) return found;
    Result<std::vector<std::string>> dead = dead_among(others);
    if (!dead) return dead.error();
    if (dead->empty()) return found;
    for (const std::string& session : *dead) {
      Result<bool> reaped = reap(session);
      if (!reaped) return reaped.error();
    }
  }
}

Result<std::vector<core::Ticket>> Store::still_there(const std::string& id,
                                                     const std::vector<core::Ticket>& tickets) {
  return read_at_once<std::vector<core::Ticket>>([&]() -> Result<std::vector<core::Ticket>> {
    Result<void> living = check_session(id);
    if (!living) return living.error();
    std::vector<core::Ticket> left;
    for (const core::Ticket& ticket : tickets) {
      Query query = database_.query("SELECT mode FROM tickets WHERE position = ? AND member = ?");
      query.bind(ticket.position).bind(member_of(ticket.node));
      if (!query.next()) continue;
      left.push_back(ticket);
      left.back().place.mode = mode_of(query.text(0));
    }
    return left;
  });
}

Result<Watched> Store::watch(const std::string& id, const core::Ticket& ticket) {
  return write<Watched>([&]() -> Result<Watched> {
    Result<void> living = check_session(id);
    if (!living) return living.error();
    const std::int64_t member = member_of(ticket.node);
    Watched watched;
    {
      Query query = database_.query(
          "SELECT t.mode, r.session FROM tickets t JOIN requests r ON r.position = t.position"
          " WHERE t.position = ? AND t.member = ?");
      query.bind(ticket.position).bind(member);
      const bool stands = query.next();
      watched.changed = !stands || mode_of(query.text(0)) != ticket.place.mode;
      if (stands) watched.session = query.text(1);
    }
    if (watched.changed) return watched;
    // A row that fired already stays so: somebody of this session still has to hear of it.
    Query query = database_.query("INSERT OR IGNORE INTO watches VALUES (?, ?, ?, 0)");
    query.bind(ticket.position).bind(member).bind(id).run();
    return watched;
  });
}

Result<void> Store::leave(const std::string& id, const std::string& request,
                          const std::vector<std::string>& unwatched) {
  return write<void>([&]() -> Result<void> {
    Result<void> living = check_session(id);
    if (!living) return living;
    for (const std::string& node : unwatched) {
      Query query =
          database_.query("DELETE FROM watches WHERE position = ? AND member = ? AND session = ?");
      query.bind(position_in(node)).bind(member_of(node)).bind(id).run();
    }
    const std::optional<std::int64_t> position = position_of(id, request);
    if (position) remove_request(*position);
    return {};
  });
}

Result<void> Store::lower(const std::string& id, const std::string& request) {
  return write<void>([&]() -> Result<void> {
    Result<void> living = check_session(id);
    if (!living) return living;
    const std::optional<std::int64_t> position = position_of(id, request);
    if (!position) return make_error(Errc::lost, "The lock to be lowered does not stand any more.");
    {
      Query query = database_.query(
          "UPDATE tickets SET mode = 'shared' WHERE position = ? AND mode = 'exclusive'");
      query.bind(*position).run();
    }
    if (database_.changes() > 0) wake_watchers(*position);
    return {};
  });
}

Result<void> Store::reown(const std::string& id, const std::string& request,
                          const std::string& owner, const std::string& proof) {
  return write<void>([&]() -> Result<void> {
    Result<void> living = check_session(id);
    if (!living) return living;
    const std::optional<std::int64_t> position = position_of(id, request);
    if (!position) return make_error(Errc::lost, "The lock to be given does not stand any more.");
    Query query = database_.query("UPDATE requests SET owner = ?, proof = ? WHERE position = ?");
    query.bind(owner).bind(proof).bind(*position).run();
    return {};
  });
}

Result<std::vector<StandingTicket>> Store::tickets_of(const std::string& id,
                                                      const std::string& owner) {
  return read_at_once<std::vector<StandingTicket>>([&]() -> Result<std::vector<StandingTicket>> {
    Result<void> living = check_session(id);
    if (!living) return living.error();
    std::vector<StandingTicket> result;
    Query query =
        database_.query(LOCKER_SELECT_TICKETS("WHERE r.owner = ? ORDER BY t.position, t.member"));
    query.bind(owner);
    read_tickets(query, result);
    return result;
  });
}

Result<void> Store::write_if_held(const std::string& id, const std::string& request,
                                  const std::string& key, const std::string& value) {
  return write<void>(
      [&]() -> Result<void> {
        Result<void> living = check_session(id);
        if (!living) return living;
        const std::optional<std::int64_t> position = living_position_of(id, request);
        if (!position) {
          return make_error(Errc::fenced,
                            "The lock under which this was to be recorded does not stand any "
                            "more; nothing was recorded.");
        }
        Query query = database_.query("INSERT OR REPLACE INTO records VALUES (?, ?, ?)");
        query.bind(key).bind(value).bind(*position).run();
        return {};
      },
      Durability::for_ever);
}

}  // namespace locker::backends::local
