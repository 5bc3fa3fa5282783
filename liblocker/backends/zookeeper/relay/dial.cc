#include "backends/zookeeper/relay/dial.h"

#include <cstring>
#include <string>
#include <utility>

#include "backends/zookeeper/relay/sockets.h"

namespace locker::backends::zookeeper::relay {
namespace {

using boost::asio::awaitable;

std::string text_of(Patience::Milliseconds wait) {
  return std::to_string(wait.count()) + " ms";
}

Error why_not(const Link& link, const std::string& late) {
  if (link.expired()) return make_error(Errc::unavailable, link.name() + " " + late);
  if (link.failure().has_value()) return *link.failure();
  return make_error(Errc::unavailable, link.name() + " is no longer wanted");
}

awaitable<Result<void>> connect(StationPtr station, LinkPtr link) {
  const LinkTimer timer(link, station->patience.dial);
  co_await until_ready(link, Flow::wants_write);
  if (!link->is_open()) {
    co_return why_not(*link,
                      "does not take a connection within " + text_of(station->patience.dial));
  }
  const int number = connect_result(link->number());
  if (number == 0) co_return Result<void>();
  co_return make_error(Errc::unavailable,
                       link->name() + " cannot be reached (" + std::strerror(number) + ")");
}

awaitable<Result<void>> agree(StationPtr station, LinkPtr link) {
  const LinkTimer timer(link, station->patience.dial);
  while (true) {
    const Flow flow = link->shake_hands();
    if (flow == Flow::moved) co_return Result<void>();
    if (flow == Flow::failed || flow == Flow::ended) {
      co_return why_not(*link, "takes connections but does not finish a TLS handshake within " +
                                   text_of(station->patience.dial));
    }
    co_await until_ready(link, flow);
  }
}

}  // namespace

Result<LinkPtr> begin_dialling(const Station& station, const Target& target) {
  const std::string& name = station.ensemble->name(target.server);
  const Result<int> socket = begin_connecting(*target.endpoint);
  if (!socket) return make_error(Errc::unavailable, name + " " + socket.error().message);
  LinkPtr link = Link::adopt(station.executor, *socket, name);
  if (link == nullptr) {
    return make_error(Errc::unavailable, name + " gets no socket that the system can watch");
  }
  return link;
}

awaitable<Result<void>> finish_dialling(StationPtr station, LinkPtr link, std::size_t server) {
  const Result<void> connected = co_await connect(station, link);
  if (!connected) co_return connected;
  end_when_silent(link->number(), station->patience.silence);
  if (station->tls == nullptr) co_return Result<void>();
  Result<SslPtr> ssl = station->tls->open(station->ensemble->host(server), link->number());
  if (!ssl) co_return std::move(ssl).error();
  link->start_tls(*std::move(ssl));
  co_return co_await agree(station, link);
}

}  // namespace locker::backends::zookeeper::relay
