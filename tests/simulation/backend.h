#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/lock_backend.h"

#include "session.h"

namespace locker::simulation {

// The coordinator as one client's machine reaches it.
class ModelBackend : public runtime::LockBackend, public runtime::Directory {
 public:
  ModelBackend(World& world, std::shared_ptr<Machine> machine)
      : world_(&world), machine_(std::move(machine)) {}

  awaitable<Result<runtime::SessionPtr>> open_session(runtime::Deadline deadline) override;
  runtime::Directory& directory() override { return *this; }
  std::string url() const override { return "model:"; }

  awaitable<Result<std::vector<runtime::StandingTicket>>> list(core::Resource prefix) override;
  awaitable<Result<std::vector<SessionInfo>>> sessions() override;
  awaitable<Result<void>> break_session(std::string session_id, std::string reason) override;
  awaitable<Result<void>> remove_broken(std::string session_id) override;
  awaitable<Result<int>> clean() override;
  awaitable<Result<std::optional<TableColumns>>> columns(core::Resource table) override;
  awaitable<Result<std::vector<TableColumns>>> tables() override;
  awaitable<Result<void>> set_columns(TableColumns columns,
                                      std::optional<TableColumns> expected) override;
  awaitable<Result<void>> forget_columns(core::Resource table) override;
  awaitable<Result<std::optional<std::string>>> read(std::string key) override;
  awaitable<Result<void>> forget(std::string key) override;

 private:
  // Comes back after a message's way there and back, or says why not.
  awaitable<Result<void>> round_trip();
  awaitable<void> pause(runtime::Milliseconds length);
  void ask(const CallPtr& call, int replica);

  World* world_;
  std::shared_ptr<Machine> machine_;
};

}  // namespace locker::simulation
