#include "cli/run/acquirer.h"

#include <algorithm>

namespace locker::cli {
namespace {

constexpr std::chrono::milliseconds includes_connecting{1000};

}  // namespace

std::chrono::milliseconds timeout_after_connecting(std::chrono::milliseconds timeout,
                                                   std::chrono::milliseconds connecting) {
  if (timeout < includes_connecting || timeout == wait_for_ever) return timeout;
  return std::max(timeout - connecting, std::chrono::milliseconds(0));
}

std::chrono::milliseconds connect_timeout_within(std::chrono::milliseconds connect_timeout,
                                                 std::chrono::milliseconds timeout) {
  return timeout < includes_connecting ? connect_timeout : std::min(connect_timeout, timeout);
}

Acquirer::Acquirer(LockRequest request, const Voice& voice)
    : shared_(std::make_shared<Shared>()),
      thread_(work, shared_, std::move(request), voice, stop_.get_token()) {}

Acquirer::~Acquirer() {
  if (thread_.joinable()) thread_.join();
}

bool Acquirer::done() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->handle.has_value();
}

std::optional<WaitStatus> Acquirer::take_status() {
  const std::scoped_lock lock(shared_->mutex);
  return std::exchange(shared_->status, std::nullopt);
}

Result<LockHandle> Acquirer::take_handle() {
  if (thread_.joinable()) thread_.join();
  return std::move(*shared_->handle);
}

void Acquirer::work(std::shared_ptr<Shared> shared, LockRequest request, Voice voice,
                    std::stop_token stop) {
  const auto finish = [&shared](Result<LockHandle> result) {
    {
      const std::scoped_lock lock(shared->mutex);
      shared->handle.emplace(std::move(result));
    }
    shared->notice.set();
  };
  const auto begun = std::chrono::steady_clock::now();
  request.open.connect_timeout =
      connect_timeout_within(request.open.connect_timeout, request.timeout);
  Result<PartitionLocker> opened = PartitionLocker::open(request.url, request.open);
  if (!opened) return finish(std::move(opened).error());
  for (const std::string& warning : opened->warnings()) voice.say(warning);
  for (const std::string& advice : opened->advice()) voice.info(advice);
  shared->locker.emplace(std::move(*opened));
  const auto connecting = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begun);
  LockOptions options;
  options.timeout = timeout_after_connecting(request.timeout, connecting);
  options.owner = request.owner;
  options.reason = request.reason;
  options.cancel = stop;
  if (request.tell_status) {
    options.on_waiting = [shared](const WaitStatus& status) {
      const std::scoped_lock lock(shared->mutex);
      shared->status = status;
      shared->notice.set();
    };
  }
  finish(shared->locker->lock(request.members, options));
}

}  // namespace locker::cli
