#include "backends/zookeeper/relay/ensemble.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace locker::backends::zookeeper::relay {
namespace {

std::string name_of(const core::UrlHost& server) {
  const std::string host =
      server.name.find(':') == std::string::npos ? server.name : "[" + server.name + "]";
  return host + ":" + std::to_string(server.port.value_or(0));
}

}  // namespace

Ensemble::Ensemble(boost::asio::any_io_executor executor, ClockPtr clock,
                   const std::vector<core::UrlHost>& servers, LookUp look_up)
    : clock_(std::move(clock)),
      random_(std::random_device()()),
      lookup_(std::move(executor), std::move(look_up)) {
  for (const core::UrlHost& each : servers) {
    Server server;
    server.host = each.name;
    server.name = name_of(each);
    server.port = each.port.value_or(0);
    boost::system::error_code not_numeric;
    const auto address = boost::asio::ip::make_address(each.name, not_numeric);
    server.numeric = !not_numeric;
    if (server.numeric) server.endpoints.emplace_back(address, server.port);
    servers_.push_back(std::move(server));
  }
  for (std::size_t index = 0; index < servers_.size(); ++index) look_up_again(index);
}

std::vector<Target> Ensemble::targets() {
  const runtime::SteadyTime now = clock_->now();
  std::vector<std::size_t> order(servers_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random_);
  const auto suspects = std::stable_partition(order.begin(), order.end(), [&](std::size_t index) {
    return servers_[index].suspect_until <= now;
  });
  std::vector<Target> targets;
  const auto add = [&](auto begin, auto end) {
    std::size_t most = 1;
    for (std::size_t turn = 0; turn < most; ++turn) {
      for (auto index = begin; index != end; ++index) {
        const std::vector<Endpoint>& endpoints = servers_[*index].endpoints;
        most = std::max(most, endpoints.size());
        if (turn < endpoints.size()) {
          targets.push_back({*index, endpoints[turn]});
        } else if (turn == 0) {
          targets.push_back({*index, std::nullopt});
        }
      }
    }
  };
  for (std::size_t index = 0; index < servers_.size(); ++index) look_up_again(index);
  add(order.begin(), suspects);
  add(suspects, order.end());
  return targets;
}

bool Ensemble::is_looking_up(std::size_t server) const {
  return servers_[server].looking_up;
}

void Ensemble::on_looked_up(std::size_t server, const runtime::EventPtr& event) {
  servers_[server].waiting.push_back(event);
}

Result<std::vector<Endpoint>> Ensemble::endpoints(std::size_t server) const {
  const Server& asked = servers_[server];
  if (!asked.endpoints.empty()) return asked.endpoints;
  if (asked.unknown.has_value()) return *asked.unknown;
  return make_error(Errc::unavailable, "has no address yet: its name is still being looked up");
}

void Ensemble::answered(std::size_t server) {
  servers_[server].suspect_until = runtime::SteadyTime::min();
}

void Ensemble::failed(std::size_t server) {
  Server& failing = servers_[server];
  failing.suspect_until = clock_->now() + suspicion;
  // It may have moved.
  failing.stale_at = runtime::SteadyTime::min();
}

void Ensemble::look_up_again(std::size_t index) {
  Server& server = servers_[index];
  if (server.numeric || server.looking_up || server.stale_at > clock_->now()) return;
  server.looking_up = true;
  lookup_.start(server.host,
                [this, index](const Result<Addresses>& found) { looked_up(index, found); });
}

void Ensemble::looked_up(std::size_t index, const Result<Addresses>& found) {
  Server& server = servers_[index];
  server.looking_up = false;
  if (found && !found->empty()) {
    server.endpoints.clear();
    for (const auto& address : *found) server.endpoints.emplace_back(address, server.port);
    server.unknown.reset();
    server.stale_at = clock_->now() + fresh;
  } else {
    // The old addresses stay in use: a name server that fails does not end what works.
    server.unknown = found ? make_error(Errc::unavailable, "has no address") : found.error();
    server.stale_at = runtime::SteadyTime::min();
  }
  for (const auto& each : std::exchange(server.waiting, {})) {
    if (const runtime::EventPtr waiting = each.lock()) waiting->set();
  }
}

}  // namespace locker::backends::zookeeper::relay
