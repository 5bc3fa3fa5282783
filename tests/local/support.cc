#include "tests/local/support.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <boost/asio/steady_timer.hpp>

#include "core/random_id.h"
#include "core/turn.h"
#include "runtime/process_info.h"

namespace locker::tests {

using runtime::awaitable;
using runtime::Joined;

std::chrono::milliseconds liveness_bound(double factor) {
  const char* slow = std::getenv("LOCKER_TEST_SLOW");
  const double scale = slow == nullptr ? 1 : std::atof(slow);
  return std::chrono::milliseconds(static_cast<std::int64_t>(20000 * factor * scale));
}

TemporaryDirectory::TemporaryDirectory() {
  const std::filesystem::path parent = std::filesystem::temp_directory_path();
  path_ = (parent / ("locker-test-" + core::random_id())).string();
  std::filesystem::create_directory(path_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

core::Place place(const std::string& path, LockMode mode) {
  return core::Place{core::Resource::from_path(path), mode};
}

std::shared_ptr<runtime::Request> request(std::vector<core::Place> places) {
  auto wanted = std::make_shared<runtime::Request>();
  wanted->id = core::random_id();
  wanted->owner = runtime::describe_self("test");
  wanted->owner.owner = core::random_id();
  wanted->owner.reason = "testing";
  wanted->proof = core::random_id();
  wanted->places = std::move(places);
  wanted->since = std::chrono::system_clock::time_point(std::chrono::milliseconds(1700000000123));
  return wanted;
}

TableColumns order(const std::string& table, std::vector<std::string> columns) {
  TableColumns result;
  result.table = *PartitionSpec::parse(table);
  result.columns = std::move(columns);
  result.set_by = "tester@here";
  result.set_at = std::chrono::system_clock::time_point(std::chrono::milliseconds(1700000000456));
  return result;
}

Host::Host(const std::string& directory, const std::string& boot,
           std::chrono::milliseconds patience)
    : clock_(std::make_shared<runtime::SystemClock>(context_.get_executor())) {
  backends::local::LocalOptions options;
  options.executor = context_.get_executor();
  options.clock = clock_;
  options.self = runtime::describe_self("test");
  options.patience = patience;
  options.location.directory = directory;
  options.boot = boot.empty() ? runtime::boot_id() : boot;
  backend_ = std::make_unique<backends::local::LocalBackend>(std::move(options));
}

Host::~Host() {
  // Before the context, to which the backend posts. Sessions of waits that never end go with it.
  backend_->halt();
}

runtime::SessionPtr Host::session() {
  Result<runtime::SessionPtr> opened =
      run<runtime::SessionPtr>([this] { return backend_->open_session(runtime::Deadline{}); });
  if (!opened) std::cerr << opened.error().message << '\n';
  return opened.value();
}

bool Host::until(const std::function<bool()>& condition, double factor) {
  // A timer rather than a timed run, which wakes every second: a waiting peer is to be idle.
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

Result<Joined> Host::lock(const runtime::SessionPtr& session, const runtime::RequestPtr& wanted) {
  const runtime::EventPtr changed = event();
  return run<Joined>([&] { return take(session, wanted, changed, nullptr); });
}

void Host::leave(const runtime::SessionPtr& session, const runtime::RequestPtr& wanted) {
  run<void>([&] { return session->leave(wanted->id); }).value();
}

awaitable<Result<Joined>> take(runtime::SessionPtr session, runtime::RequestPtr wanted,
                               runtime::EventPtr changed, std::function<void()> on_waiting) {
  Result<Joined> joined = co_await session->join(wanted);
  if (!joined) co_return joined;
  const std::vector<core::Place> places = wanted->places;
  Result<std::vector<runtime::StandingTicket>> standing = co_await session->standing(places);
  if (!standing) co_return standing.error();
  std::vector<core::Ticket> tickets;
  for (const runtime::StandingTicket& one : *standing) tickets.push_back(one.ticket);
  core::Turn turn = core::turn_of(joined->tickets, tickets);
  while (turn.kind == core::Turn::Kind::waits) {
    const core::Ticket last = turn.ahead.back();
    Result<void> watched = co_await session->watch(last, changed);
    if (!watched) co_return watched.error();
    if (on_waiting) std::exchange(on_waiting, nullptr)();
    co_await changed->wait();
    std::vector<core::Ticket> asked = turn.ahead;
    asked.insert(asked.end(), joined->tickets.begin(), joined->tickets.end());
    Result<std::vector<core::Ticket>> left = co_await session->still_there(asked);
    if (!left) co_return left.error();
    turn = core::turn_of(joined->tickets, *left);
  }
  if (turn.kind == core::Turn::Kind::absent) {
    co_return make_error(Errc::lost, "the place in the queue was taken away");
  }
  co_return joined;
}

}  // namespace locker::tests
