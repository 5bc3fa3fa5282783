#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <locker/result.h>

#include "backends/local/store_clock.h"

struct sqlite3;
struct sqlite3_stmt;

namespace locker::backends::local {

class Database;

// One run of a prepared statement, reset when it goes out of scope. After a failure it has no rows,
// and the database knows the failure.
class Query {
 public:
  Query(Database& database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  // Binds the next parameter.
  Query& bind(std::string_view text);
  Query& bind(std::int64_t number);
  Query& bind(std::uint64_t number) { return bind(static_cast<std::int64_t>(number)); }
  Query& bind(int number) { return bind(std::int64_t{number}); }
  Query& bind(bool flag) { return bind(std::int64_t{flag}); }

  // Goes to the next row; false: there is none.
  bool next();
  // Runs a statement that has no rows.
  void run() {
    while (next()) {
    }
  }
  std::string text(int column) const;
  std::int64_t number(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
};

// A connection to an SQLite database, used on one thread. The first failure sticks until a
// transaction ends with it: a decision that was taken from rows that could not be read never
// counts.
class Database {
 public:
  Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // Opens an existing database file.
  Result<void> open(const std::string& path);
  const std::string& path() const { return path_; }

  // Until when later statements wait for other processes' locks.
  void set_deadline(StoreTime deadline) { deadline_ = deadline; }
  // Whether later commits are on the disk before they are answered.
  void set_durable(bool durable);

  // A statement, prepared once. `sql` must be a literal.
  Query query(const char* sql);
  // Runs statements without parameters and rows.
  void execute(const char* sql);

  bool failed() const { return failure_.has_value(); }
  // Makes the running transaction fail.
  void fail(Error error);
  // Takes the failure, so that the next transaction starts without it.
  Error take_failure();

  // A transaction in which nobody else writes.
  void begin_writing() { query("BEGIN IMMEDIATE").run(); }
  // A transaction that sees one moment.
  void begin_reading() { query("BEGIN").run(); }
  // Ends a transaction with its effects if nothing failed, without them otherwise.
  Result<void> commit();
  void roll_back();

  // Whether the file at the path is no longer the one that is open.
  bool is_moved() const;
  // Rows changed by the last statement.
  std::int64_t changes() const;

  // Notes the failure of an SQLite call.
  void note(int code);

 private:
  static int wait_for_lock(void* self, int tries);
  Error error_of(int code) const;
  Error busy_error() const;

  sqlite3* connection_ = nullptr;
  std::string path_;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
  std::optional<Error> failure_;
  StoreTime deadline_ = StoreTime::max();
  bool durable_ = false;
};

}  // namespace locker::backends::local
