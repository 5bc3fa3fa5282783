#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "backends/zookeeper/handle.h"
#include "runtime/system_clock.h"

namespace locker::tests {

// The bound on anything live, scaled by LOCKER_TEST_SLOW.
std::chrono::milliseconds liveness_bound(double factor = 1);

// The server that these tests run against, from LOCKER_TEST_ZOOKEEPER; the test fails without.
std::string test_server();

// A runtime, run by the test's thread while it waits for something.
class ZookeeperHost {
 public:
  ZookeeperHost();

  boost::asio::io_context& context() { return context_; }
  const std::shared_ptr<runtime::SystemClock>& clock() const { return clock_; }
  runtime::EventPtr event() { return clock_->make_event(); }

  // The options of a handle to the test's server.
  backends::zookeeper::HandleOptions options();
  // A connected handle.
  backends::zookeeper::HandlePtr connect(backends::zookeeper::HandleOptions options);
  backends::zookeeper::HandlePtr connect() { return connect(options()); }
  Result<void> connected(const backends::zookeeper::HandlePtr& handle,
                         std::chrono::milliseconds wait);
  void close(const backends::zookeeper::HandlePtr& handle);
  // A new node for one test.
  std::string folder(const backends::zookeeper::HandlePtr& handle);

  // Runs until the flight's answer is there.
  template <typename T>
  Result<T> answer(backends::zookeeper::Flight<T> flight) {
    return run<T>([&flight] { return flight.answer(); });
  }
  // Runs a verb to its end.
  template <typename T>
  Result<T> run(std::function<boost::asio::awaitable<Result<T>>()> verb);
  // Runs until the condition holds; false if that takes longer than anything live may.
  bool until(const std::function<bool()>& condition, double factor = 1);

 private:
  template <typename T>
  static boost::asio::awaitable<void> fill(std::function<boost::asio::awaitable<Result<T>>()> verb,
                                           std::shared_ptr<std::optional<Result<T>>> slot);

  boost::asio::io_context context_;
  std::shared_ptr<runtime::SystemClock> clock_;
};

template <typename T>
boost::asio::awaitable<void> ZookeeperHost::fill(
    std::function<boost::asio::awaitable<Result<T>>()> verb,
    std::shared_ptr<std::optional<Result<T>>> slot) {
  Result<T> result = co_await verb();
  slot->emplace(std::move(result));
}

template <typename T>
Result<T> ZookeeperHost::run(std::function<boost::asio::awaitable<Result<T>>()> verb) {
  const auto slot = std::make_shared<std::optional<Result<T>>>();
  boost::asio::co_spawn(context_, fill<T>(std::move(verb), slot), boost::asio::detached);
  const bool answered = until([&] { return slot->has_value(); }, 3);
  if (!answered) return make_error(Errc::internal, "no answer came within the liveness bound");
  return **slot;
}

}  // namespace locker::tests
