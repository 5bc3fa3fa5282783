#include "tests/zookeeper/support.h"

#include <cstdlib>
#include <stdexcept>

#include <boost/asio/steady_timer.hpp>

#include "core/random_id.h"

namespace locker::tests {

using backends::zookeeper::Created;
using backends::zookeeper::Handle;
using backends::zookeeper::HandleOptions;
using backends::zookeeper::HandlePtr;
using backends::zookeeper::NodeKind;

namespace {

boost::asio::awaitable<Result<void>> closing(HandlePtr handle) {
  co_await handle->close();
  co_return Result<void>();
}

}  // namespace

std::chrono::milliseconds liveness_bound(double factor) {
  const char* slow = std::getenv("LOCKER_TEST_SLOW");
  const double scale = slow == nullptr ? 1 : std::atof(slow);
  return std::chrono::milliseconds(static_cast<std::int64_t>(20000 * factor * scale));
}

std::string test_server() {
  const char* server = std::getenv("LOCKER_TEST_ZOOKEEPER");
  if (server == nullptr) throw std::runtime_error("LOCKER_TEST_ZOOKEEPER names no server");
  return server;
}

ZookeeperHost::ZookeeperHost()
    : clock_(std::make_shared<runtime::SystemClock>(context_.get_executor())) {}

HandleOptions ZookeeperHost::options() {
  HandleOptions options;
  options.executor = context_.get_executor();
  options.clock = clock_;
  options.servers = test_server();
  options.session_timeout = std::chrono::seconds(10);
  return options;
}

HandlePtr ZookeeperHost::connect(HandleOptions options) {
  const HandlePtr handle = Handle::start(std::move(options)).value();
  connected(handle, liveness_bound()).value();
  return handle;
}

Result<void> ZookeeperHost::connected(const HandlePtr& handle, std::chrono::milliseconds wait) {
  const runtime::Deadline deadline = clock_->after(wait);
  return run<void>([&] { return handle->connected(deadline); });
}

void ZookeeperHost::close(const HandlePtr& handle) {
  run<void>([&] { return closing(handle); }).value();
}

std::string ZookeeperHost::folder(const HandlePtr& handle) {
  const std::string path = "/test-" + core::random_id();
  return answer(handle->create(path, "", NodeKind::persistent)).value().path;
}

bool ZookeeperHost::until(const std::function<bool()>& condition, double factor) {
  boost::asio::steady_timer timer(context_, liveness_bound(factor));
  bool late = false;
  timer.async_wait([&late](const boost::system::error_code& failure) { late = !failure; });
  while (!condition() && !late) {
    context_.restart();
    context_.run_one();
  }
  // Its handler refers to this call.
  timer.cancel();
  context_.restart();
  context_.poll();
  return condition();
}

}  // namespace locker::tests
