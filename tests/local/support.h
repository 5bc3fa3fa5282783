#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "backends/local/local_backend.h"
#include "runtime/system_clock.h"

namespace locker::tests {

// The bound on anything live, scaled by LOCKER_TEST_SLOW.
std::chrono::milliseconds liveness_bound(double factor = 1);

// A directory that goes with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A resource from its path.
core::Place place(const std::string& path, LockMode mode = LockMode::exclusive);
// A request of a new owner.
std::shared_ptr<runtime::Request> request(std::vector<core::Place> places);
// A table's order, as the first lock that names columns would fix it.
TableColumns order(const std::string& table, std::vector<std::string> columns);

// A backend with a runtime of its own, run by the test's thread while it waits for something.
class Host {
 public:
  explicit Host(const std::string& directory, const std::string& boot = {},
                std::chrono::milliseconds patience = std::chrono::seconds(60));
  ~Host();

  boost::asio::io_context& context() { return context_; }
  runtime::LockBackend& backend() { return *backend_; }
  runtime::Directory& directory() { return backend_->directory(); }
  runtime::EventPtr event() { return clock_->make_event(); }
  runtime::SessionPtr session();

  // Runs a verb to its end.
  template <typename T>
  Result<T> run(std::function<runtime::awaitable<Result<T>>()> verb);
  // Runs until the condition holds; false if that takes longer than anything live may.
  bool until(const std::function<bool()>& condition, double factor = 1);
  // Joins and waits as the recipe does, until granted.
  Result<runtime::Joined> lock(const runtime::SessionPtr& session,
                               const runtime::RequestPtr& wanted);
  void leave(const runtime::SessionPtr& session, const runtime::RequestPtr& wanted);

 private:
  template <typename T>
  static runtime::awaitable<void> fill(std::function<runtime::awaitable<Result<T>>()> verb,
                                       std::shared_ptr<std::optional<Result<T>>> slot);

  boost::asio::io_context context_;
  std::shared_ptr<runtime::SystemClock> clock_;
  std::unique_ptr<backends::local::LocalBackend> backend_;
};

// Waits for a granted turn on any executor: join, look, watch the last ahead, look again.
runtime::awaitable<Result<runtime::Joined>> take(runtime::SessionPtr session,
                                                 runtime::RequestPtr wanted,
                                                 runtime::EventPtr changed,
                                                 std::function<void()> on_waiting);

template <typename T>
runtime::awaitable<void> Host::fill(std::function<runtime::awaitable<Result<T>>()> verb,
                                    std::shared_ptr<std::optional<Result<T>>> slot) {
  Result<T> result = co_await verb();
  slot->emplace(std::move(result));
}

template <typename T>
Result<T> Host::run(std::function<runtime::awaitable<Result<T>>()> verb) {
  const auto slot = std::make_shared<std::optional<Result<T>>>();
  boost::asio::co_spawn(context_, fill<T>(std::move(verb), slot), boost::asio::detached);
  const bool answered = until([&] { return slot->has_value(); }, 6);
  if (!answered) return make_error(Errc::internal, "no answer came within the liveness bound");
  return **slot;
}

}  // namespace locker::tests
