#include "backends/local/database.h"

#include <sqlite3.h>

#include <cerrno>

#include "backends/local/lock_owner.h"
#include "backends/local/system_error.h"

namespace locker::backends::local {

Query::~Query() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Query& Query::bind(std::string_view text) {
  if (statement_ == nullptr) return *this;
  // An empty view may have no address, which SQLite would take for NULL.
  const char* begin = text.data() == nullptr ? "" : text.data();
  database_.note(
      sqlite3_bind_text64(statement_, ++bound_, begin, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Query& Query::bind(std::int64_t number) {
  if (statement_ == nullptr) return *this;
  database_.note(sqlite3_bind_int64(statement_, ++bound_, number));
  return *this;
}

bool Query::next() {
  if (statement_ == nullptr || database_.failed()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.note(code);
  return false;
}

std::string Query::text(int column) const {
  const void* begin = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return begin == nullptr ? std::string() : std::string(static_cast<const char*>(begin), size);
}

std::int64_t Query::number(int column) const {
  return sqlite3_column_int64(statement_, column);
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(connection_);
}

Result<void> Database::open(const std::string& path) {
  path_ = path;
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  note(sqlite3_open_v2(path.c_str(), &connection_, flags, nullptr));
  if (failed()) return take_failure();
  sqlite3_busy_handler(connection_, &Database::wait_for_lock, this);
  // The log stays when the last one closes: it is the reserve of space for letting go on a full
  // file system, and nobody races to make it again.
  int keep = 1;
  sqlite3_file_control(connection_, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  execute("PRAGMA synchronous=NORMAL");
  if (failed()) return take_failure();
  return {};
}

void Database::set_durable(bool durable) {
  if (durable == durable_) return;
  execute(durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
  if (!failed()) durable_ = durable;
}

Query Database::query(const char* sql) {
  if (failed()) return Query(*this, nullptr);
  sqlite3_stmt*& statement = statements_[sql];
  if (statement == nullptr) {
    note(sqlite3_prepare_v3(connection_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
  }
  return Query(*this, statement);
}

void Database::execute(const char* sql) {
  if (failed()) return;
  note(sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr));
}

void Database::fail(Error error) {
  if (!failed()) failure_ = std::move(error);
}

Error Database::take_failure() {
  Error error = failure_.value_or(make_error(Errc::internal, "Nothing failed in the store."));
  failure_.reset();
  return error;
}

Result<void> Database::commit() {
  query("COMMIT").run();
  if (!failed()) return {};
  Error error = take_failure();
  roll_back();
  return error;
}

void Database::roll_back() {
  // Some failures have rolled back already.
  if (sqlite3_get_autocommit(connection_) == 0) {
    sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

bool Database::is_moved() const {
  int moved = 0;
  sqlite3_file_control(connection_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(connection_);
}

void Database::note(int code) {
  if (code != SQLITE_OK && !failed()) failure_ = error_of(code);
}

int Database::wait_for_lock(void* self, int tries) {
  const auto* database = static_cast<const Database*>(self);
  if (store_now() >= database->deadline_) return 0;
  pause_before_try(tries);
  return 1;
}

Error Database::busy_error() const {
  const std::optional<std::int64_t> pid = writer_of(path_);
  const std::string who = pid ? "process " + std::to_string(*pid) : "another process";
  return make_error(Errc::unavailable, "store_busy",
                    "The lock store " + path_ + " has been kept busy by " + who +
                        "; if that process is stopped, continue or end it.");
}

Error Database::error_of(int code) const {
  const int number = connection_ == nullptr ? 0 : sqlite3_system_errno(connection_);
  const std::string why = sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return busy_error();
    case SQLITE_FULL:
      return store_full(path_);
    case SQLITE_NOTADB:
      return make_error(Errc::mismatch, "not_a_store",
                        "The file " + path_ +
                            " is not a lock store; nothing was changed: name another directory.");
    case SQLITE_CORRUPT:
      return make_error(Errc::mismatch, "corrupt_store",
                        "The lock store " + path_ +
                            " is damaged; nothing was deleted: stop all its users, move it away "
                            "and let a new one be made.");
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      if (code == SQLITE_READONLY_DBMOVED) {
        return make_error(Errc::lost, "store_gone",
                          "The lock store " + path_ + " was removed or replaced while in use.");
      }
      if (number != 0) return system_error("use the lock store", path_, number);
      if ((code & 0xff) != SQLITE_IOERR) return system_error("use the lock store", path_, EACCES);
      break;
    default:
      break;
  }
  return make_error(Errc::unavailable, "The lock store " + path_ + " failed: " + why + ".");
}

}  // namespace locker::backends::local
