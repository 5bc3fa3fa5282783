#include "tests/zookeeper/gate.h"

#include <cstddef>
#include <future>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace locker::tests {
namespace {

boost::asio::ip::tcp::endpoint endpoint_of(const std::string& target) {
  const std::size_t colon = target.rfind(':');
  return {boost::asio::ip::make_address(target.substr(0, colon)),
          static_cast<std::uint16_t>(std::stoi(target.substr(colon + 1)))};
}

}  // namespace

Gate::Gate(const std::string& target)
    : work_(boost::asio::make_work_guard(context_)),
      target_(endpoint_of(target)),
      acceptor_(context_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
      port_(acceptor_.local_endpoint().port()) {
  accept();
  thread_ = std::thread([this] { context_.run(); });
}

Gate::~Gate() {
  context_.stop();
  thread_.join();
}

template <typename Work>
void Gate::run(Work work) {
  std::promise<void> done;
  boost::asio::post(context_, [&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void Gate::cut() {
  run([this] {
    is_cut_ = true;
    keeps_replies_ = false;
    while (!lines_.empty()) drop(*lines_.begin());
  });
}

void Gate::open() {
  run([this] { is_cut_ = false; });
}

void Gate::keep_replies() {
  run([this] { keeps_replies_ = true; });
}

void Gate::accept() {
  const auto line = std::make_shared<Line>(context_);
  acceptor_.async_accept(line->client, [this, line](const boost::system::error_code& failure) {
    if (failure) return;
    accept();
    boost::system::error_code refused;
    if (!is_cut_) line->server.connect(target_, refused);
    if (is_cut_ || refused) return;
    lines_.insert(line);
    pump(line, false);
    pump(line, true);
  });
}

void Gate::pump(const LinePtr& line, bool replies) {
  Tcp::socket& from = replies ? line->server : line->client;
  const auto buffer = boost::asio::buffer(replies ? line->replies : line->requests);
  auto pass_on = [this, line, replies, buffer](const boost::system::error_code& failure,
                                               std::size_t size) {
    if (failure) {
      drop(line);
      return;
    }
    // What was kept is lost with the line.
    if (replies && keeps_replies_) return;
    Tcp::socket& to = replies ? line->client : line->server;
    auto next = [this, line, replies](const boost::system::error_code& broken, std::size_t) {
      if (broken) {
        drop(line);
      } else {
        pump(line, replies);
      }
    };
    boost::asio::async_write(to, boost::asio::buffer(buffer, size), next);
  };
  from.async_read_some(buffer, pass_on);
}

void Gate::drop(const LinePtr& line) {
  const LinePtr kept = line;
  boost::system::error_code ignored;
  kept->client.close(ignored);
  kept->server.close(ignored);
  lines_.erase(kept);
}

}  // namespace locker::tests
