#pragma once

#include "backends/local/store_thread.h"
#include "runtime/lock_backend.h"

namespace locker::backends::local {

// What a local store knows beside queues; every verb works without a session.
class LocalDirectory : public runtime::Directory {
 public:
  LocalDirectory(StoreThreadPtr thread, AskOptions patience, OwnerInfo self,
                 std::shared_ptr<runtime::Clock> clock);

  runtime::awaitable<Result<std::vector<runtime::StandingTicket>>> list(
      core::Resource prefix) override;
  runtime::awaitable<Result<std::vector<SessionInfo>>> sessions() override;
  runtime::awaitable<Result<void>> break_session(std::string session_id,
                                                 std::string reason) override;
  runtime::awaitable<Result<void>> remove_broken(std::string session_id) override;
  runtime::awaitable<Result<int>> clean() override;
  runtime::awaitable<Result<std::optional<TableColumns>>> columns(core::Resource table) override;
  runtime::awaitable<Result<std::vector<TableColumns>>> tables() override;
  runtime::awaitable<Result<void>> set_columns(TableColumns columns,
                                               std::optional<TableColumns> expected) override;
  runtime::awaitable<Result<void>> forget_columns(core::Resource table) override;
  runtime::awaitable<Result<std::optional<std::string>>> read(std::string key) override;
  runtime::awaitable<Result<void>> forget(std::string key) override;

 private:
  StoreThreadPtr thread_;
  AskOptions patience_;
  OwnerInfo self_;
  std::shared_ptr<runtime::Clock> clock_;
};

}  // namespace locker::backends::local
