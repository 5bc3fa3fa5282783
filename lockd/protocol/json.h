#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockd/protocol/messages.h"

// The JSON of every message, both ways: what `to_json` writes, the reader of the same message reads
// to an equal value. Readers take one JSON object and are strict. Errors: invalid/bad_json, with
// the member in the text (a member that is not known, of a wrong type, out of range, missing, or
// standing twice), and whatever is wrong with a resource.
namespace locker::lockd {

std::string to_json(const OpenSession& message);
std::string to_json(const OpenedSession& message);
std::string to_json(const Renew& message);
std::string to_json(const Renewed& message);
std::string to_json(const AskLock& message);
std::string to_json(const HeldLock& message);
std::string to_json(const WithToken& message);
std::string to_json(const GiveLock& message);
std::string to_json(const RecordUnderLock& message);
std::string to_json(const ReleaseByName& message);
std::string to_json(const ReleasedLock& message);
std::string to_json(const BreakLock& message);
std::string to_json(const Look& message);
std::string to_json(const CheckToken& message);
std::string to_json(const Contenders& message);
std::string to_json(const StoreFacts& message);
std::string to_json(const TableColumns& message);
std::string to_json(const RegisterTable& message);
std::string to_json(const Prepare& message);

Result<OpenSession> read_open_session(std::string_view body);
Result<OpenedSession> read_opened_session(std::string_view body);
Result<Renew> read_renew(std::string_view body);
Result<Renewed> read_renewed(std::string_view body);
Result<AskLock> read_ask_lock(std::string_view body);
Result<HeldLock> read_held_lock(std::string_view body);
Result<WithToken> read_with_token(std::string_view body);
Result<GiveLock> read_give_lock(std::string_view body);
Result<RecordUnderLock> read_record_under_lock(std::string_view body);
Result<ReleaseByName> read_release_by_name(std::string_view body);
Result<ReleasedLock> read_released_lock(std::string_view body);
Result<BreakLock> read_break_lock(std::string_view body);
Result<Look> read_look(std::string_view body);
Result<CheckToken> read_check_token(std::string_view body);
Result<Contenders> read_contenders(std::string_view body);
Result<StoreFacts> read_store_facts(std::string_view body);
Result<TableColumns> read_table_columns(std::string_view body);
Result<RegisterTable> read_register_table(std::string_view body);
Result<Prepare> read_prepare(std::string_view body);

// Lists and single facts, each an object of one member as docs/lockd-api.md names it.
std::string sessions_json(const std::vector<SessionInfo>& sessions);
Result<std::vector<SessionInfo>> read_sessions(std::string_view body);
std::string tables_json(const std::vector<TableColumns>& tables);
Result<std::vector<TableColumns>> read_tables(std::string_view body);
std::string left_overs_json(const std::vector<LeftOver>& left_overs);
Result<std::vector<LeftOver>> read_left_overs(std::string_view body);
std::string history_json(const std::vector<HistoryEntry>& entries);
Result<std::vector<HistoryEntry>> read_history(std::string_view body);
std::string broken_json(Broken broken);
Result<Broken> read_broken(std::string_view body);
std::string made_json(const std::optional<int>& made);
Result<std::optional<int>> read_made(std::string_view body);
std::string removed_json(int removed);
Result<int> read_removed(std::string_view body);
std::string value_json(const std::optional<std::string>& value);
Result<std::optional<std::string>> read_value(std::string_view body);

// What a client may do after an error: send the same request again, make a new one, or neither
// before something is mended.
enum class Retry { same, renewed, never };
// "same", "new", "never".
std::string_view name_of(Retry retry);
Retry retry_of(Errc errc);

// The problem (RFC 9457) of an error, with the holders of a time-out or the cycle of a deadlock.
std::string problem_json(const Error& error, int status, std::string_view request_id);
// The error that a problem tells: the same class, code, sentence and detail. An answer that is no
// problem, e.g. of something between, is `unavailable` and tells the status.
Error read_problem(int status, std::string_view body);

}  // namespace locker::lockd
