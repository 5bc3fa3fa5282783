#pragma once

#include <exception>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>

namespace locker::runtime {

// Runs a coroutine that nobody waits for. Errors are values here, so an exception that escapes one
// is a bug or the end of memory: it ends the process, for a coroutine that just vanished would
// leave its caller waiting for ever.
inline void spawn(const boost::asio::any_io_executor& executor, boost::asio::awaitable<void> work) {
  auto ended = [](const std::exception_ptr& failure) {
    if (failure != nullptr) std::terminate();
  };
  boost::asio::co_spawn(executor, std::move(work), ended);
}

}  // namespace locker::runtime
