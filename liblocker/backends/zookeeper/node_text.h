#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <locker/listing.h>
#include <locker/result.h>

#include "core/ticket.h"

namespace locker::backends::zookeeper {

// The data of the nodes: one compact JSON object each, described in docs/format-zookeeper.md.
// Members that are not known are left to later versions. Reading what somebody else wrote never
// fails where a lock depends on it: what is missing or of a wrong type is empty.

// Milliseconds since the Unix epoch, by somebody's wall clock; for people to read.
using WallMs = std::int64_t;

// Of a lock's node and of its companion.
struct LockText {
  std::string proof;  // runtime::owner_proof
  WallMs since_ms = 0;
  std::string reason;  // in the first node of a request
  std::string first;   // the path of the first member's resource; empty in the first itself
  std::vector<core::Place> members;  // all of the request, in the first node of a set
  bool lowered = false;              // an exclusive lock that became shared
  std::string owner;                 // the owner's id where it is not the one in the node's name
};
std::string to_json(const LockText& text);
LockText lock_text(std::string_view json);

// Of a session's node.
struct SessionText {
  OwnerInfo process;
  WallMs opened_ms = 0;
  WallMs beat_ms = 0;           // when it was written
  std::int64_t timeout_ms = 0;  // the session time-out
};
std::string to_json(const SessionText& text);
SessionText session_text(std::string_view json);

// Of a table's container.
struct TableText {
  std::vector<std::string> columns;  // empty: none are fixed
  std::string set_by;
  WallMs set_at_ms = 0;
  bool registered = false;
  // How many columns the table had before. A lock on a partition that had nothing below it then has
  // no companion, so finer locks look into the directories of these depths too.
  std::vector<int> earlier_depths;
};
std::string to_json(const TableText& text);
// Error: internal/bad_json, since an order that can't be read must not be overwritten.
Result<TableText> table_text(std::string_view json);

// Of a request's node among those whose owners hold something.
std::string members_to_json(const std::vector<core::Place>& members);
std::vector<core::Place> members_of_json(std::string_view json);

// Why a session was broken, by whom and when.
struct BrokenText {
  std::string reason;
  std::string by;
  WallMs at_ms = 0;
  std::int64_t timeout_ms = 0;  // of the broken session; 0: nobody knew
};
std::string to_json(const BrokenText& text);
BrokenText broken_text(std::string_view json);

// Of the directory of a partition that was prepared.
std::string prepared_to_json(WallMs until_ms);
// Until when it is to be kept; nothing if it is no such directory.
std::optional<WallMs> prepared_until(std::string_view json);

// A record and its key.
struct RecordText {
  std::string key;
  std::string value;
};
std::string to_json(const RecordText& text);
Result<RecordText> record_text(std::string_view json);

// The version of the layout, and the least version of a reader that understands it.
struct FormatText {
  int version = 1;
  int least_reader = 1;
};
std::string to_json(const FormatText& text);
Result<FormatText> format_text(std::string_view json);

}  // namespace locker::backends::zookeeper
