#include "backends/zookeeper/relay/relay.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <exception>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "backends/zookeeper/relay/connection.h"
#include "backends/zookeeper/relay/own_process.h"
#include "backends/zookeeper/relay/station.h"
#include "runtime/spawn.h"
#include "runtime/system_clock.h"

namespace locker::backends::zookeeper {
namespace {

using boost::asio::awaitable;
using relay::Flow;
using relay::LinkPtr;
using relay::StationPtr;

// Shared by the thread that accepts and those that ask.
struct Gate {
  LinkPtr listener;
  std::atomic<std::uint64_t> strangers = 0;
};
using GatePtr = std::shared_ptr<Gate>;

// Out of descriptors: the connection stays in the queue, and its client waits as for a slow server.
awaitable<void> pause(StationPtr station) {
  constexpr std::chrono::milliseconds soon_enough{100};
  const runtime::EventPtr over = station->clock->make_event();
  const runtime::Deadline soon = station->clock->after(soon_enough);
  const runtime::Alarm alarm = station->clock->wake_at(soon, over);
  co_await over->wait();
}

void let_in(const StationPtr& station, Gate& gate, int accepted) {
  const bool ours = relay::is_from_this_process(accepted);
  if (!ours) relay::reset_on_close(accepted);
  const LinkPtr client = relay::Link::adopt(station->executor, accepted, "the client");
  if (!ours) {
    ++gate.strangers;
  } else if (client != nullptr) {
    runtime::spawn(station->executor, relay::serve(station, client));
  }
}

awaitable<void> accept(StationPtr station, GatePtr gate) {
  const LinkPtr listener = gate->listener;
  constexpr Flow connection = Flow::wants_read;
  while (listener->is_open()) {
    const int accepted = relay::accept_connection(listener->number());
    if (accepted >= 0) {
      let_in(station, *gate, accepted);
    } else if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR) {
      co_await until_ready(listener, connection);
    } else {
      station->note->write(make_error(Errc::unavailable, "no_descriptor",
                                      "the ZooKeeper relay gets no descriptor for a connection: "
                                      "raise the limit of open files (ulimit -n)"));
      co_await pause(station);
    }
  }
}

Result<void> check(const RelayOptions& options) {
  if (options.servers.empty()) return make_error(Errc::config, "there is no ZooKeeper server");
  for (const core::UrlHost& each : options.servers) {
    if (!each.port.has_value()) {
      return make_error(Errc::config, "the ZooKeeper server " + each.name + " has no port");
    }
  }
  return relay::check_own_descriptors();
}

}  // namespace

// Everything that ends with the relay.
class Relay::Operation {
 public:
  Operation() : context_(1) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
    // Its look-ups' threads may be at it still, and the context ends next.
    if (station_ != nullptr && station_->ensemble != nullptr) station_->ensemble->stop();
  }

  Result<void> open(RelayOptions options, std::unique_ptr<relay::TlsContext> tls) {
    Result<relay::Listener> listener = relay::listen_on_loopback();
    if (!listener) return std::move(listener).error();
    port_ = listener->endpoint.port();
    const auto executor = context_.get_executor();
    gate_->listener = relay::Link::adopt(executor, listener->socket, "the listener");
    if (gate_->listener == nullptr) {
      return make_error(Errc::unavailable, "the ZooKeeper relay cannot watch its listener");
    }
    station_ = std::make_shared<relay::Station>(
        relay::Station{executor, std::make_shared<runtime::SystemClock>(executor),
                       relay::Patience(options.dial_timeout, options.session_timeout), nullptr,
                       std::move(tls), note_});
    // On the thread without signals, which its look-ups' threads take after.
    auto begin = [station = station_, gate = gate_, executor,
                  options = std::move(options)]() mutable {
      station->ensemble = std::make_unique<relay::Ensemble>(
          executor, station->clock, options.servers, std::move(options.look_up));
      runtime::spawn(executor, accept(station, gate));
    };
    boost::asio::post(context_, std::move(begin));
    run();
    return {};
  }

  std::uint16_t port() const { return port_; }
  const relay::FailureNote& note() const { return *note_; }
  std::uint64_t strangers() const { return gate_->strangers; }

 private:
  void run() {
    // Signals are the application's.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { context_.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  std::shared_ptr<relay::FailureNote> note_ = std::make_shared<relay::FailureNote>();
  // Before what lives on it.
  boost::asio::io_context context_;
  GatePtr gate_ = std::make_shared<Gate>();
  StationPtr station_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

Result<std::unique_ptr<Relay>> Relay::start(RelayOptions options) {
  Result<void> usable = check(options);
  if (!usable) return std::move(usable).error();
  std::unique_ptr<relay::TlsContext> tls;
  if (options.tls.has_value()) {
    Result<std::unique_ptr<relay::TlsContext>> loaded = relay::TlsContext::load(*options.tls);
    if (!loaded) return std::move(loaded).error();
    tls = *std::move(loaded);
  }
  // What the system refuses to Asio and to the thread comes as an exception.
  try {
    auto operation = std::make_unique<Operation>();
    Result<void> opened = operation->open(std::move(options), std::move(tls));
    if (!opened) return std::move(opened).error();
    return std::unique_ptr<Relay>(new Relay(std::move(operation)));
  } catch (const std::exception& failure) {
    return make_error(Errc::unavailable, "no_descriptor",
                      std::string("the ZooKeeper relay cannot be started (") + failure.what() +
                          "): raise the limits of open files and threads (ulimit -n, ulimit -u)");
  }
}

Relay::Relay(std::unique_ptr<Operation> operation) : operation_(std::move(operation)) {}

Relay::~Relay() = default;

std::uint16_t Relay::port() const {
  return operation_->port();
}

std::optional<Error> Relay::last_failure() const {
  return operation_->note().read();
}

std::uint64_t Relay::strangers() const {
  return operation_->strangers();
}

}  // namespace locker::backends::zookeeper
