#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/engine.h"

namespace locker::runtime {

// What PartitionLocker offers beside locking; see its comments. None of it is on the way to a
// grant.
awaitable<Result<std::vector<Contender>>> list_queue(EnginePtr engine,
                                                     std::optional<PartitionSpec> prefix,
                                                     bool above);
awaitable<Result<std::vector<SessionInfo>>> list_sessions(EnginePtr engine,
                                                          std::optional<PartitionSpec> prefix);
awaitable<Result<Broken>> break_holder(EnginePtr engine, std::string request_id,
                                       std::string reason);
awaitable<Result<std::vector<LeftOver>>> left_overs(EnginePtr engine);
awaitable<Result<int>> clean(EnginePtr engine);
awaitable<Result<std::optional<int>>> prepare(EnginePtr engine,
                                              std::vector<PartitionSpec> partitions,
                                              std::chrono::system_clock::time_point until);

awaitable<Result<std::optional<TableColumns>>> table_columns(EnginePtr engine, PartitionSpec table);
awaitable<Result<std::vector<TableColumns>>> all_tables(EnginePtr engine);
awaitable<Result<void>> register_table(EnginePtr engine, PartitionSpec table,
                                       std::vector<std::string> columns, bool replace);
awaitable<Result<void>> unregister_table(EnginePtr engine, PartitionSpec table);

awaitable<Result<void>> record(GrantPtr grant, std::string key, std::string value);
awaitable<Result<std::optional<std::string>>> recorded(EnginePtr engine, std::string key);
awaitable<Result<void>> forget_record(EnginePtr engine, std::string key);

// The present session; opened if there is none.
awaitable<Result<LifelinePtr>> present_line(EnginePtr engine);

}  // namespace locker::runtime
