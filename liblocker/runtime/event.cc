#include "runtime/event.h"

#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace locker::runtime {

// A waiting coroutine is owned by the handler in its event, and often owns that event: a circle
// that nothing else would break. So every execution context knows its waiters and ends them.
class WaiterService : public boost::asio::execution_context::service {
 public:
  inline static boost::asio::execution_context::id id;

  explicit WaiterService(boost::asio::execution_context& context) : service(context) {}

  void add(Event& event) {
    event.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &event;
    first_ = &event;
  }

  void remove(Event& event) {
    (event.previous_ != nullptr ? event.previous_->next_ : first_) = event.next_;
    if (event.next_ != nullptr) event.next_->previous_ = event.previous_;
    event.previous_ = nullptr;
    event.next_ = nullptr;
  }

 private:
  void shutdown() override {
    while (first_ != nullptr) {
      // Destroying one coroutine may destroy other events, which remove themselves.
      const Event::WaiterPtr waiter = first_->take();
    }
  }

  Event* first_ = nullptr;
};

Event::Event(boost::asio::any_io_executor executor)
    : executor_(std::move(executor)),
      waiters_(boost::asio::use_service<WaiterService>(
          boost::asio::query(executor_, boost::asio::execution::context))) {}

Event::~Event() {
  if (waiter_ != nullptr) waiters_.remove(*this);
}

void Event::keep(WaiterPtr waiter) {
  waiter_ = std::move(waiter);
  waiters_.add(*this);
}

Event::WaiterPtr Event::take() {
  waiters_.remove(*this);
  return std::move(waiter_);
}

void Event::set() {
  if (set_) return;
  set_ = true;
  if (waiter_ != nullptr) take()->resume(executor_);
}

boost::asio::awaitable<void> Event::wait() {
  using Token = boost::asio::use_awaitable_t<>;
  Token token;
  if (!set_) {
    auto start = [this]<typename Handler>(Handler handler) {
      struct Suspended : Waiter {
        explicit Suspended(Handler suspended) : handler(std::move(suspended)) {}
        void resume(const boost::asio::any_io_executor& executor) override {
          boost::asio::post(executor, std::move(handler));
        }
        Handler handler;
      };
      keep(std::make_unique<Suspended>(std::move(handler)));
    };
    co_await boost::asio::async_initiate<Token, void()>(start, token);
  }
  set_ = false;
}

}  // namespace locker::runtime
