#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/local/database.h"
#include "runtime/lock_backend.h"

namespace locker::backends::local {

// Wall-clock times are stored as milliseconds since 1970.
std::int64_t to_ms(std::chrono::system_clock::time_point time);
std::chrono::system_clock::time_point from_ms(std::int64_t milliseconds);

// The name of a ticket: `<16 hex digits of the position>-<member>`.
std::string node_of(std::int64_t position, std::int64_t member);
// The position and the member in such a name; -1 if it is no such name.
std::int64_t position_in(const std::string& node);
std::int64_t member_of(const std::string& node);

LockMode mode_of(const std::string& text);

// A query for whole tickets: `SELECT … FROM tickets JOIN requests` and this condition.
#define LOCKER_SELECT_TICKETS(condition)                                                    \
  "SELECT t.position, t.member, t.path, t.mode, r.id, r.session, r.owner, r.proof, r.host," \
  " r.pid, r.pid_start, r.boot, r.user, r.application, r.command, r.reason, r.since_ms"     \
  " FROM tickets t JOIN requests r ON r.position = t.position " condition
// Reads its rows.
void read_tickets(Query& query, std::vector<runtime::StandingTicket>& result);

}  // namespace locker::backends::local
