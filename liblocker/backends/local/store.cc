#include "backends/local/store.h"

#include "backends/local/schema.h"

namespace locker::backends::local {

Result<std::unique_ptr<Store>> Store::open(const StoreLocation& location, const std::string& boot,
                                           StoreTime deadline) {
  Result<StoreFiles> files = prepare_files(location);
  if (!files) return files.error();
  Result<void> made = make_database(*files);
  if (!made) return made.error();
  std::unique_ptr<Store> store(new Store(*files));
  store->set_deadline(deadline);
  Result<void> opened = store->database_.open(files->database());
  if (!opened) return opened.error();
  Result<void> known = check_format(store->database_);
  if (!known) return known.error();
  Result<bool> begun = begin_boot(store->database_, boot);
  if (!begun) return begun.error();
  // Pipes of an earlier boot are a nuisance and no more, so nothing depends on their removal.
  if (*begun) static_cast<void>(store->remove_orphans());
  return store;
}

Error Store::gone() const {
  return make_error(Errc::lost, "store_gone",
                    "The lock store " + files_.directory +
                        " was removed or replaced while in use, and every lock in it is lost.");
}

Result<void> Store::begin(bool writing, Durability durability) {
  // An SQLite file that was removed goes on working for those who have it open; but whoever comes
  // now would find another one, and both would be granted.
  if (database_.is_moved()) return gone();
  bells_.clear();
  if (writing) {
    database_.set_durable(durability == Durability::for_ever);
    database_.begin_writing();
  } else {
    database_.begin_reading();
  }
  if (database_.failed()) return database_.take_failure();
  return {};
}

// Bells are rung while nobody else can write: whoever hears one looks in a writing transaction, and
// so looks after this one, even if this process is stopped right behind its commit. If the commit
// fails, somebody woke for nothing.
Result<void> Store::end(bool keep) {
  if (keep && !database_.failed()) {
    for (const std::string& session : bells_) {
      Result<void> rung = ring_bell(files_.bell(session));
      if (!rung) database_.fail(std::move(rung).error());
    }
  }
  if (database_.failed()) {
    Error failure = database_.take_failure();
    database_.roll_back();
    return failure;
  }
  if (keep) return database_.commit();
  database_.roll_back();
  return {};
}

Result<void> Store::check_session(const std::string& id) {
  Query query = database_.query("SELECT 1 FROM sessions WHERE id = ?");
  query.bind(id);
  const bool stands = query.next();
  if (stands && !is_broken(id)) return {};
  return why_over(id, stands);
}

bool Store::is_broken(const std::string& id) {
  Query query = database_.query("SELECT 1 FROM breaks WHERE session = ?");
  query.bind(id);
  return query.next();
}

Error Store::why_over(const std::string& id, bool stands) {
  Query query = database_.query("SELECT reason, user, host, pid FROM breaks WHERE session = ?");
  query.bind(id);
  if (query.next()) {
    // Whoever hears of it only now may have others beside it already.
    const char* const code = stands ? "broken" : "broken_and_removed";
    return make_error(Errc::lost, code,
                      "This session was broken by " + query.text(1) + "@" + query.text(2) +
                          " (process " + std::to_string(query.number(3)) +
                          "), and every lock of it is lost; the reason given: " + query.text(0));
  }
  return make_error(Errc::lost, "This session is over: the lock store " + files_.directory +
                                    " does not know it any more, and every lock of it is lost.");
}

std::optional<std::int64_t> Store::position_of(const std::string& id, const std::string& request) {
  Query query = database_.query("SELECT position FROM requests WHERE id = ? AND session = ?");
  query.bind(request).bind(id);
  if (!query.next()) return std::nullopt;
  return query.number(0);
}

void Store::wake_watchers(std::int64_t position) {
  {
    Query query = database_.query("SELECT DISTINCT session FROM watches WHERE position = ?");
    query.bind(position);
    while (query.next()) bells_.insert(query.text(0));
  }
  Query query = database_.query("UPDATE watches SET fired = 1 WHERE position = ?");
  query.bind(position).run();
}

void Store::remove_request(std::int64_t position) {
  wake_watchers(position);
  {
    Query query = database_.query("DELETE FROM tickets WHERE position = ?");
    query.bind(position).run();
  }
  Query query = database_.query("DELETE FROM requests WHERE position = ?");
  query.bind(position).run();
}

void Store::remove_session(const std::string& id) {
  {
    Query query = database_.query("DELETE FROM watches WHERE session = ?");
    query.bind(id).run();
  }
  std::vector<std::int64_t> positions;
  {
    Query query = database_.query("SELECT position FROM requests WHERE session = ?");
    query.bind(id);
    while (query.next()) positions.push_back(query.number(0));
  }
  for (const std::int64_t position : positions) remove_request(position);
  Query query = database_.query("DELETE FROM sessions WHERE id = ?");
  query.bind(id).run();
}

}  // namespace locker::backends::local
