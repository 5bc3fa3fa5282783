#include "backends/local/local_directory.h"

#include <utility>

namespace locker::backends::local {

using runtime::awaitable;
using runtime::StandingTicket;

LocalDirectory::LocalDirectory(StoreThreadPtr thread, AskOptions patience, OwnerInfo self,
                               std::shared_ptr<runtime::Clock> clock)
    : thread_(std::move(thread)),
      patience_(patience),
      self_(std::move(self)),
      clock_(std::move(clock)) {}

awaitable<Result<std::vector<StandingTicket>>> LocalDirectory::list(core::Resource prefix) {
  using Answer = std::vector<StandingTicket>;
  const StoreWork<Answer> work = [prefix](Store& store) { return store.list(prefix); };
  co_return co_await ask<Answer>(thread_, patience_, work);
}

awaitable<Result<std::vector<SessionInfo>>> LocalDirectory::sessions() {
  using Answer = std::vector<SessionInfo>;
  const StoreWork<Answer> work = [](Store& store) { return store.sessions(); };
  co_return co_await ask<Answer>(thread_, patience_, work);
}

awaitable<Result<void>> LocalDirectory::break_session(std::string session_id, std::string reason) {
  const OwnerInfo breaker = self_;
  const WallTime now = clock_->wall_now();
  const StoreWork<void> work = [session_id, reason, breaker, now](Store& store) {
    return store.break_session(session_id, reason, breaker, now);
  };
  co_return co_await ask<void>(thread_, patience_, work);
}

awaitable<Result<void>> LocalDirectory::remove_broken(std::string session_id) {
  const StoreWork<void> work = [session_id](Store& store) {
    return store.remove_broken(session_id);
  };
  co_return co_await ask<void>(thread_, patience_, work);
}

awaitable<Result<int>> LocalDirectory::clean() {
  const WallTime now = clock_->wall_now();
  const StoreWork<int> work = [now](Store& store) { return store.clean(now); };
  co_return co_await ask<int>(thread_, patience_, work);
}

awaitable<Result<std::optional<TableColumns>>> LocalDirectory::columns(core::Resource table) {
  using Answer = std::optional<TableColumns>;
  const StoreWork<Answer> work = [table](Store& store) { return store.columns(table); };
  co_return co_await ask<Answer>(thread_, patience_, work);
}

awaitable<Result<std::vector<TableColumns>>> LocalDirectory::tables() {
  using Answer = std::vector<TableColumns>;
  const StoreWork<Answer> work = [](Store& store) { return store.tables(); };
  co_return co_await ask<Answer>(thread_, patience_, work);
}

awaitable<Result<void>> LocalDirectory::set_columns(TableColumns columns,
                                                    std::optional<TableColumns> expected) {
  const StoreWork<void> work = [columns, expected](Store& store) {
    return store.set_columns(columns, expected);
  };
  co_return co_await ask<void>(thread_, patience_, work);
}

awaitable<Result<void>> LocalDirectory::forget_columns(core::Resource table) {
  const StoreWork<void> work = [table](Store& store) { return store.forget_columns(table); };
  co_return co_await ask<void>(thread_, patience_, work);
}

awaitable<Result<std::optional<std::string>>> LocalDirectory::read(std::string key) {
  using Answer = std::optional<std::string>;
  const StoreWork<Answer> work = [key](Store& store) { return store.read(key); };
  co_return co_await ask<Answer>(thread_, patience_, work);
}

awaitable<Result<void>> LocalDirectory::forget(std::string key) {
  const StoreWork<void> work = [key](Store& store) { return store.forget(key); };
  co_return co_await ask<void>(thread_, patience_, work);
}

}  // namespace locker::backends::local
