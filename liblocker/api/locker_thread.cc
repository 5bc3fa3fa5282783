#include "api/locker_thread.h"

#include <csignal>
#include <exception>

#include <boost/asio/steady_timer.hpp>

#include "backends/registry.h"
#include "runtime/process_info.h"
#include "runtime/spawn.h"
#include "runtime/system_clock.h"

namespace locker::runtime {
namespace {

boost::asio::awaitable<Result<void>> stop_engine(EnginePtr engine) {
  co_await engine->stop();
  co_return Result<void>();
}

boost::asio::awaitable<void> stop_in_background(EnginePtr engine) {
  co_await engine->stop();
}

}  // namespace

LockerThread::LockerThread()
    : context_(std::make_shared<boost::asio::io_context>(1)),
      work_(boost::asio::make_work_guard(*context_)) {
  // Signals are the application's: none is ever delivered to this thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([context = context_] { context->run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LockerThread::~LockerThread() {
  work_.reset();
  context_->stop();
  // A callback may drop the last handle of a closed locker: a thread can't wait for itself.
  if (on_own_thread()) {
    thread_.detach();
  } else {
    thread_.join();
  }
  // The context goes next, here or at the end of the detached thread; the backend posts to it.
  if (engine_ != nullptr) engine_->backend().halt();
}

// Whatever Asio can't get from the kernel it reports by throwing: here, once, before anything runs.
Result<void> LockerThread::start_reactor() {
  try {
    const boost::asio::steady_timer first(*context_);
  } catch (const std::exception& failure) {
    return make_error(Errc::unavailable, "no_descriptor",
                      std::string("the event loop cannot be started (") + failure.what() +
                          "): raise the limit of open files (ulimit -n)");
  }
  return {};
}

Result<void> LockerThread::open(std::string_view url, const OpenOptions& options) {
  Result<void> started = start_reactor();
  if (!started) return started;
  const auto clock = std::make_shared<SystemClock>(context_->get_executor());
  EngineOptions engine_options;
  engine_options.self = describe_self(options.application);
  if (!options.command.empty()) engine_options.self.command = options.command;
  engine_options.connect_timeout = options.connect_timeout;
  engine_options.is_ancestor = is_ancestor_of_us;
  const backends::BackendContext backend_context{context_->get_executor(), clock, options,
                                                 engine_options.self};
  Result<std::unique_ptr<LockBackend>> backend = backends::make_backend(url, backend_context);
  if (!backend) return backend.error();
  engine_ = std::make_shared<Engine>(context_->get_executor(), clock, *std::move(backend),
                                     std::move(engine_options));
  return run_and_wait(engine_->start());
}

void LockerThread::close() {
  if (std::exchange(closed_, true) || engine_ == nullptr) return;
  if (on_own_thread()) {
    spawn(context_->get_executor(), stop_in_background(engine_));
    return;
  }
  const Result<void> stopped = run_and_wait(stop_engine(engine_));
  static_cast<void>(stopped);
}

}  // namespace locker::runtime
