#include "backends/local/schema.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "backends/local/descriptor.h"
#include "backends/local/system_error.h"
#include "core/random_id.h"

namespace locker::backends::local {
namespace {

// "lock" in ASCII; tells our database from any other.
constexpr int application_id = 0x6c6f636b;

constexpr const char* tables = R"sql(
  PRAGMA application_id = 0x6c6f636b;
  PRAGMA user_version = 1;

  CREATE TABLE meta(
    name  TEXT PRIMARY KEY,
    value NOT NULL
  ) WITHOUT ROWID;
  INSERT INTO meta VALUES ('least_reader', 1), ('boot', ''), ('epoch', 0), ('counter', 0);

  CREATE TABLE sessions(
    id          TEXT PRIMARY KEY,
    host        TEXT NOT NULL,
    pid         INTEGER NOT NULL,
    pid_start   INTEGER NOT NULL,
    boot        TEXT NOT NULL,
    user        TEXT NOT NULL,
    application TEXT NOT NULL,
    command     TEXT NOT NULL,
    opened_ms   INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE requests(
    position    INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    session     TEXT NOT NULL,
    owner       TEXT NOT NULL,
    proof       TEXT NOT NULL,
    host        TEXT NOT NULL,
    pid         INTEGER NOT NULL,
    pid_start   INTEGER NOT NULL,
    boot        TEXT NOT NULL,
    user        TEXT NOT NULL,
    application TEXT NOT NULL,
    command     TEXT NOT NULL,
    reason      TEXT NOT NULL,
    since_ms    INTEGER NOT NULL
  );
  CREATE INDEX requests_session ON requests(session);
  CREATE INDEX requests_owner ON requests(owner);

  CREATE TABLE tickets(
    position INTEGER NOT NULL,
    member   INTEGER NOT NULL,
    path     TEXT NOT NULL,
    mode     TEXT NOT NULL,
    PRIMARY KEY (position, member)
  ) WITHOUT ROWID;
  CREATE INDEX tickets_path ON tickets(path);

  CREATE TABLE watches(
    position INTEGER NOT NULL,
    member   INTEGER NOT NULL,
    session  TEXT NOT NULL,
    fired    INTEGER NOT NULL,
    PRIMARY KEY (position, member, session)
  ) WITHOUT ROWID;
  CREATE INDEX watches_session ON watches(session, fired);

  CREATE TABLE breaks(
    session TEXT PRIMARY KEY,
    reason  TEXT NOT NULL,
    user    TEXT NOT NULL,
    host    TEXT NOT NULL,
    pid     INTEGER NOT NULL,
    at_ms   INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE orders(
    path       TEXT PRIMARY KEY,
    set_by     TEXT NOT NULL,
    set_at_ms  INTEGER NOT NULL,
    registered INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE order_columns(
    path    TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    name    TEXT NOT NULL,
    PRIMARY KEY (path, ordinal)
  ) WITHOUT ROWID;

  CREATE TABLE records(
    key      TEXT PRIMARY KEY,
    value    TEXT NOT NULL,
    position INTEGER NOT NULL
  ) WITHOUT ROWID;
)sql";

Result<void> fill_database(const std::string& path) {
  Database database;
  Result<void> opened = database.open(path);
  if (!opened) return opened;
  database.set_durable(true);
  database.execute("PRAGMA journal_mode = WAL");
  database.begin_writing();
  database.execute(tables);
  return database.commit();
}

std::int64_t number_of(Database& database, const char* pragma) {
  Query query = database.query(pragma);
  return query.next() ? query.number(0) : 0;
}

Error foreign(const Database& database) {
  return make_error(Errc::mismatch, "not_a_store",
                    "The file " + database.path() +
                        " is not a lock store; nothing was changed: name another directory.");
}

void sync_directory(const std::string& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) ::fsync(directory.number());
}

}  // namespace

Result<void> make_database(const StoreFiles& files) {
  const std::string path = files.database();
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) return {};
  if (errno != ENOENT) return system_error("use the lock store", path, errno);

  // It is made under another name and linked into place when it is complete, so that nobody ever
  // opens half a database. That also keeps our descriptor off a file whose locks SQLite holds.
  const std::string unfinished = files.directory + "/locks.new-" + core::random_id();
  {
    const Descriptor file(
        ::open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, files.file_mode));
    if (!file.is_open()) return system_error("make the lock store", path, errno);
    if (::fchmod(file.number(), files.file_mode) != 0) {
      const int why = errno;
      ::unlink(unfinished.c_str());
      return system_error("make the lock store", path, why);
    }
  }
  Result<void> made = fill_database(unfinished);
  if (made && ::link(unfinished.c_str(), path.c_str()) != 0 && errno != EEXIST) {
    made = system_error("make the lock store", path, errno);
  }
  for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((unfinished + suffix).c_str());
  sync_directory(files.directory);
  return made;
}

Result<void> check_format(Database& database) {
  database.begin_reading();
  const std::int64_t application = number_of(database, "PRAGMA application_id");
  const std::int64_t version = number_of(database, "PRAGMA user_version");
  if (!database.failed() && (application != application_id || version < 1)) {
    database.fail(foreign(database));
  }
  const std::int64_t least =
      number_of(database, "SELECT value FROM meta WHERE name = 'least_reader'");
  if (!database.failed() && least > format_version) {
    database.fail(make_error(Errc::mismatch, "newer_store",
                             "The lock store " + database.path() + " has format " +
                                 std::to_string(version) + " and this program reads up to format " +
                                 std::to_string(format_version) + "; upgrade this program."));
  }
  return database.commit();
}

Result<bool> begin_boot(Database& database, const std::string& boot) {
  database.begin_reading();
  bool same = false;
  {
    Query query = database.query("SELECT value = ? FROM meta WHERE name = 'boot'");
    query.bind(boot);
    same = query.next() && query.number(0) != 0;
  }
  Result<void> read = database.commit();
  if (!read) return read.error();
  if (same) return false;

  // Only this number must survive a power failure: what it takes back else belongs to this boot,
  // whose sessions it ends.
  database.set_durable(true);
  database.begin_writing();
  {
    Query query = database.query("UPDATE meta SET value = ? WHERE name = 'boot' AND value <> ?");
    query.bind(boot).bind(boot).run();
  }
  const bool ours = !database.failed() && database.changes() == 1;
  if (ours) {
    database.execute(
        "UPDATE meta SET value = value + 1 WHERE name = 'epoch';"
        "UPDATE meta SET value = 0 WHERE name = 'counter';"
        "DELETE FROM sessions; DELETE FROM requests; DELETE FROM tickets; DELETE FROM watches;"
        "DELETE FROM breaks;");
  }
  Result<void> begun = database.commit();
  database.set_durable(false);
  if (!begun) return begun.error();
  return ours;
}

}  // namespace locker::backends::local
