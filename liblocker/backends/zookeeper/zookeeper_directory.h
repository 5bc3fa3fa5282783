#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/zookeeper/reading.h"
#include "runtime/lock_backend.h"

namespace locker::backends::zookeeper {

class ZooKeeperBackend;

// What an ensemble knows beside queues.
class ZooKeeperDirectory : public runtime::Directory {
 public:
  explicit ZooKeeperDirectory(ZooKeeperBackend& backend) : backend_(backend) {}

  runtime::awaitable<Result<std::vector<runtime::StandingTicket>>> list(
      core::Resource prefix) override;
  runtime::awaitable<Result<std::vector<SessionInfo>>> sessions() override;
  runtime::awaitable<Result<void>> break_session(std::string session_id,
                                                 std::string reason) override;
  runtime::awaitable<Result<void>> remove_broken(std::string session_id) override;
  runtime::awaitable<Result<std::vector<LeftOver>>> left_overs() override;
  runtime::awaitable<Result<int>> clean() override;
  runtime::awaitable<Result<std::optional<int>>> prepare(
      std::vector<core::Resource> resources, std::chrono::system_clock::time_point until) override;
  runtime::awaitable<Result<std::optional<TableColumns>>> columns(core::Resource table) override;
  runtime::awaitable<Result<std::vector<TableColumns>>> tables() override;
  runtime::awaitable<Result<void>> set_columns(TableColumns columns,
                                               std::optional<TableColumns> expected) override;
  runtime::awaitable<Result<void>> forget_columns(core::Resource table) override;
  runtime::awaitable<Result<std::optional<std::string>>> read(std::string key) override;
  runtime::awaitable<Result<void>> forget(std::string key) override;

 private:
  ZooKeeperBackend& backend_;
};

}  // namespace locker::backends::zookeeper
