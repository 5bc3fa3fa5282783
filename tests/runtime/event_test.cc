#include "runtime/event.h"

#include <memory>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "tests/support/test.h"

using namespace locker::runtime;

namespace {

boost::asio::awaitable<void> count_wakeups(EventPtr event, std::shared_ptr<int> count) {
  while (true) {
    co_await event->wait();
    ++*count;
  }
}

}  // namespace

TEST_CASE("an event that is set twice wakes once, and waiting consumes it") {
  boost::asio::io_context context;
  const auto event = std::make_shared<Event>(context.get_executor());
  const auto count = std::make_shared<int>(0);
  boost::asio::co_spawn(context, count_wakeups(event, count), boost::asio::detached);
  context.poll();
  CHECK(*count == 0);
  event->set();
  event->set();
  context.restart();
  context.poll();
  CHECK(*count == 1);
  CHECK_FALSE(event->is_set());
}

TEST_CASE("an event set before the wait is not forgotten") {
  boost::asio::io_context context;
  const auto event = std::make_shared<Event>(context.get_executor());
  const auto count = std::make_shared<int>(0);
  event->set();
  boost::asio::co_spawn(context, count_wakeups(event, count), boost::asio::detached);
  context.poll();
  CHECK(*count == 1);
}

TEST_CASE("a coroutine that waits when its context ends is destroyed with it") {
  const auto count = std::make_shared<int>(0);
  std::weak_ptr<Event> left;
  {
    boost::asio::io_context context;
    const auto event = std::make_shared<Event>(context.get_executor());
    left = event;
    boost::asio::co_spawn(context, count_wakeups(event, count), boost::asio::detached);
    const auto other = std::make_shared<Event>(context.get_executor());
    boost::asio::co_spawn(context, count_wakeups(other, count), boost::asio::detached);
    context.poll();
  }
  CHECK(left.expired());
  CHECK(count.use_count() == 1);
}
