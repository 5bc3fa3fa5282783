#include "runtime/event.h"

#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace locker::runtime {

void Event::set() {
  if (set_) return;
  set_ = true;
  if (waiter_) boost::asio::post(executor_, std::exchange(waiter_, nullptr));
}

boost::asio::awaitable<void> Event::wait() {
  using Token = boost::asio::use_awaitable_t<>;
  Token token;
  if (!set_) {
    auto keep = [this](auto handler) { waiter_ = std::move(handler); };
    co_await boost::asio::async_initiate<Token, void()>(keep, token);
  }
  set_ = false;
}

}  // namespace locker::runtime
