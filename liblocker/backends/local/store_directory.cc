#include <set>
#include <utility>

#include "backends/local/rows.h"
#include "backends/local/store.h"

namespace locker::backends::local {

using runtime::StandingTicket;

namespace {

bool begins_with(const std::vector<std::string>& whole, const std::vector<std::string>& start) {
  return start.size() <= whole.size() && std::equal(start.begin(), start.end(), whole.begin());
}

bool same_order(const std::optional<TableColumns>& left, const std::optional<TableColumns>& right) {
  if (!left || !right) return !left && !right;
  return left->columns == right->columns && left->registered == right->registered;
}

}  // namespace

// Whoever died is left out rather than removed: a look writes nothing.
Result<std::vector<StandingTicket>> Store::list(const core::Resource& prefix) {
  Result<std::vector<StandingTicket>> found =
      read_at_once<std::vector<StandingTicket>>([&]() -> Result<std::vector<StandingTicket>> {
        std::vector<StandingTicket> rows;
        Query query = database_.query(
            LOCKER_SELECT_TICKETS("WHERE t.path = ?1 OR (t.path > ?1 || '/' AND t.path < ?1 || '0')"
                                  " ORDER BY t.position, t.member"));
        query.bind(prefix.path());
        read_tickets(query, rows);
        return rows;
      });
  if (!found) return found;
  std::set<std::string> sessions;
  for (const StandingTicket& standing : *found) sessions.insert(standing.session);
  Result<std::vector<std::string>> dead = dead_among(sessions);
  if (!dead) return dead.error();
  const std::set<std::string> gone(dead->begin(), dead->end());
  std::erase_if(*found, [&](const StandingTicket& one) { return gone.contains(one.session); });
  return found;
}

std::optional<TableColumns> Store::stored_columns(const std::string& path) {
  TableColumns order;
  {
    Query query =
        database_.query("SELECT set_by, set_at_ms, registered FROM orders WHERE path = ?");
    query.bind(path);
    if (!query.next()) return std::nullopt;
    order.set_by = query.text(0);
    order.set_at = from_ms(query.number(1));
    order.registered = query.number(2) != 0;
  }
  Result<PartitionSpec> table = core::Resource::from_path(path).spec();
  if (!table) {
    database_.fail(std::move(table).error());
    return std::nullopt;
  }
  order.table = *table;
  Query query = database_.query("SELECT name FROM order_columns WHERE path = ? ORDER BY ordinal");
  query.bind(path);
  while (query.next()) order.columns.push_back(query.text(0));
  return order;
}

void Store::put_columns(const TableColumns& columns) {
  const std::string path = columns.table.path();
  {
    Query query = database_.query("INSERT OR REPLACE INTO orders VALUES (?, ?, ?, ?)");
    query.bind(path).bind(columns.set_by).bind(to_ms(columns.set_at));
    query.bind(columns.registered).run();
  }
  {
    Query query = database_.query("DELETE FROM order_columns WHERE path = ?");
    query.bind(path).run();
  }
  for (std::size_t ordinal = 0; ordinal < columns.columns.size(); ++ordinal) {
    Query query = database_.query("INSERT INTO order_columns VALUES (?, ?, ?)");
    query.bind(path).bind(std::uint64_t{ordinal}).bind(columns.columns[ordinal]).run();
  }
}

bool Store::check_columns(const runtime::Request& request, std::vector<TableColumns>& longer) {
  for (const TableColumns& wanted : request.columns) {
    const std::optional<TableColumns> stored = stored_columns(wanted.table.path());
    if (stored && stored->columns == wanted.columns) continue;
    const bool extends = !stored || begins_with(wanted.columns, stored->columns);
    if (!extends || (stored && stored->registered)) return false;
    TableColumns order = wanted;
    order.registered = false;
    if (order.set_by.empty()) order.set_by = request.owner.user + "@" + request.owner.host;
    if (order.set_at == WallTime{}) order.set_at = request.since;
    longer.push_back(std::move(order));
  }
  return true;
}

Result<std::optional<TableColumns>> Store::columns(const core::Resource& table) {
  using Answer = std::optional<TableColumns>;
  return read_at_once<Answer>([&]() -> Result<Answer> { return stored_columns(table.path()); });
}

Result<std::vector<TableColumns>> Store::tables() {
  return read_at_once<std::vector<TableColumns>>([&]() -> Result<std::vector<TableColumns>> {
    std::vector<std::string> paths;
    {
      Query query = database_.query("SELECT path FROM orders ORDER BY path");
      while (query.next()) paths.push_back(query.text(0));
    }
    std::vector<TableColumns> result;
    for (const std::string& path : paths) {
      std::optional<TableColumns> order = stored_columns(path);
      if (order) result.push_back(std::move(*order));
    }
    return result;
  });
}

Result<void> Store::set_columns(const TableColumns& columns,
                                const std::optional<TableColumns>& expected) {
  return write<void>(
      [&]() -> Result<void> {
        if (!same_order(stored_columns(columns.table.path()), expected)) {
          return make_error(Errc::conflict, "The column order of " + columns.table.to_string() +
                                                " was changed by somebody else; look again.");
        }
        put_columns(columns);
        return {};
      },
      Durability::for_ever);
}

Result<void> Store::forget_columns(const core::Resource& table) {
  return write<void>(
      [&]() -> Result<void> {
        {
          Query query = database_.query("DELETE FROM order_columns WHERE path = ?");
          query.bind(table.path()).run();
        }
        {
          Query query = database_.query("DELETE FROM orders WHERE path = ?");
          query.bind(table.path()).run();
        }
        if (database_.changes() == 0) {
          return make_error(Errc::not_found, "No column order is fixed for this table.");
        }
        return {};
      },
      Durability::for_ever);
}

Result<std::optional<std::string>> Store::read(const std::string& key) {
  using Answer = std::optional<std::string>;
  return read_at_once<Answer>([&]() -> Result<Answer> {
    Query query = database_.query("SELECT value FROM records WHERE key = ?");
    query.bind(key);
    if (!query.next()) return Answer();
    return Answer(query.text(0));
  });
}

Result<void> Store::forget(const std::string& key) {
  return write<void>(
      [&]() -> Result<void> {
        Query query = database_.query("DELETE FROM records WHERE key = ?");
        query.bind(key).run();
        return {};
      },
      Durability::for_ever);
}

}  // namespace locker::backends::local
