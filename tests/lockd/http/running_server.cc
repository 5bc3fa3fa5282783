#include "tests/lockd/http/running_server.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lockd_http_tests {
namespace {

namespace asio = boost::asio;
using http::awaitable;

awaitable<void> wait_until_left(asio::any_io_executor executor, std::stop_token left) {
  asio::steady_timer timer(executor);
  timer.expires_at(std::chrono::steady_clock::time_point::max());
  const std::stop_callback wake(left, [&timer] { timer.cancel(); });
  if (left.stop_requested()) co_return;
  boost::system::error_code ignored;
  auto token = asio::redirect_error(asio::use_awaitable, ignored);
  co_await timer.async_wait(token);
}

class TwoPieces : public http::Stream {
 public:
  TwoPieces(Events& events, asio::any_io_executor executor, std::stop_token left)
      : events_(events), executor_(std::move(executor)), left_(std::move(left)) {}
  ~TwoPieces() override {
    events_.add(left_.stop_requested() ? "stream destroyed" : "stream destroyed too early");
  }

  awaitable<std::optional<std::string>> next() override {
    ++count_;
    if (count_ == 1) co_return "data: one\n\n";
    if (count_ == 2) co_return "data: two\n\n";
    events_.add("streaming");
    co_await wait_until_left(executor_, left_);
    events_.add("stream ended");
    co_return std::nullopt;
  }

 private:
  Events& events_;
  asio::any_io_executor executor_;
  std::stop_token left_;
  int count_ = 0;
};

std::string described(const http::Request& request) {
  std::string text = request.method + " " + request.path;
  for (const auto& [name, value] : request.query) text += " " + name + "=" + value;
  return text + "\n" + request.body;
}

awaitable<http::Response> handle(Events* events, asio::any_io_executor executor,
                                 http::RequestPtr request) {
  http::Response response;
  response.content_type = "text/plain";
  if (request->path == "/park") {
    events->add("parked");
    co_await wait_until_left(executor, request->left);
    events->add("left");
    response.status = 503;
  } else if (request->path == "/stream") {
    response.content_type = "text/event-stream";
    response.stream = std::make_shared<TwoPieces>(*events, executor, request->left);
  } else if (request->path == "/large") {
    response.body.assign(32 * 1024 * 1024, 'x');
  } else if (request->path == "/empty") {
    response.status = 204;
  } else if (request->path == "/peer") {
    response.body = request->peer.unix_socket ? "unix " + std::to_string(request->peer.pid)
                                              : "tcp " + request->peer.address;
  } else {
    response.headers.emplace_back("X-Evil", "a\r\nX-Injected: b");
    response.body = described(*request);
  }
  co_return response;
}

awaitable<void> drain_it(http::Server* server, Events* events, std::chrono::milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  co_await server->drain(deadline);
  events->add("drained");
}

std::string new_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "lockd-http-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

}  // namespace

std::chrono::milliseconds patience() {
  const char* factor = std::getenv("LOCKER_TEST_SLOW");
  return std::chrono::seconds(10) * (factor != nullptr ? std::max(1, std::atoi(factor)) : 1);
}

void Events::add(std::string event) {
  const std::scoped_lock lock(mutex_);
  events_.push_back(std::move(event));
  changed_.notify_all();
}

bool Events::contains(const std::string& event) const {
  return std::find(events_.begin(), events_.end(), event) != events_.end();
}

bool Events::await(const std::string& event) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience(), [this, &event] { return contains(event); });
}

bool Events::has(const std::string& event) {
  const std::scoped_lock lock(mutex_);
  return contains(event);
}

RunningServer::RunningServer(http::ServerOptions options)
    : work_(asio::make_work_guard(context_)), folder_(new_folder()), path_(folder_ + "/socket") {
  const asio::any_io_executor executor = context_.get_executor();
  server_.emplace(executor, std::move(options), [this, executor](http::RequestPtr request) {
    return handle(&events_, executor, std::move(request));
  });
  server_->on_connection_closed(
      [this](std::uint64_t number) { events_.add("closed " + std::to_string(number)); });
  if (!server_->listen_unix(path_)) std::abort();
  port_ = server_->listen_tcp("127.0.0.1", 0).value();
  thread_ = std::thread([this] { context_.run(); });
}

// The thread ends only when every coroutine has: a handler that nothing ends would hang here.
RunningServer::~RunningServer() {
  asio::post(context_, [this] { server_.reset(); });
  work_.reset();
  thread_.join();
  std::filesystem::remove_all(folder_);
}

void RunningServer::on_thread(const std::function<void(http::Server&)>& work) {
  std::promise<void> done;
  asio::post(context_, [&] {
    work(*server_);
    done.set_value();
  });
  done.get_future().wait();
}

std::size_t RunningServer::open_connections() {
  std::size_t count = 0;
  on_thread([&count](http::Server& server) { count = server.open_connections(); });
  return count;
}

void RunningServer::drain(std::chrono::milliseconds time) {
  asio::co_spawn(context_, drain_it(&*server_, &events_, time), asio::detached);
}

}  // namespace lockd_http_tests
