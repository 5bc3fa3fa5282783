#include "backends/zookeeper/relay/connection.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "backends/zookeeper/relay/lane.h"
#include "backends/zookeeper/relay/race.h"
#include "runtime/spawn.h"

namespace locker::backends::zookeeper::relay {
namespace {

using boost::asio::awaitable;

// A first packet is a few dozen bytes, and its sender waits for the answer; who sends more than
// this before there is one is no client of ZooKeeper's.
constexpr std::size_t most_early_bytes = 65536;

struct Connection {
  StationPtr station;
  LinkPtr client;
  std::string early;  // what the client sent before there was a server
  RacePtr race;
  bool race_over = false;
  runtime::EventPtr watch_ended;
  // Once there is a server.
  LinkPtr server;
  std::size_t server_number = 0;
  std::shared_ptr<Debt> debt = std::make_shared<Debt>();
  runtime::EventPtr lane_ended;
  std::optional<LaneEnd> up;
  std::optional<LaneEnd> down;
  runtime::EventPtr all_ended;
};
using ConnectionPtr = std::shared_ptr<Connection>;

// Reads what the client sends early. `ended` where there is too much of it.
Flow read_early(Connection& connection) {
  std::array<char, 4096> room;
  const Transfer got = connection.client->read_some(room);
  if (got.flow == Flow::moved) connection.early.append(room.data(), got.bytes);
  return connection.early.size() > most_early_bytes ? Flow::ended : got.flow;
}

// A packet is its length in four bytes, the greatest first, and then so many bytes.
bool has_whole_packet(const std::string& bytes) {
  if (bytes.size() < 4) return false;
  std::size_t size = 0;
  for (std::size_t index = 0; index < 4; ++index) {
    size = size << 8U | static_cast<unsigned char>(bytes[index]);
  }
  return bytes.size() - 4 >= size;
}

awaitable<bool> read_first_packet(ConnectionPtr connection) {
  const LinkPtr client = connection->client;
  const LinkTimer timer(client, connection->station->patience.session);
  while (!has_whole_packet(connection->early)) {
    const Flow flow = read_early(*connection);
    if (flow == Flow::ended || flow == Flow::failed) co_return false;
    if (flow != Flow::moved) co_await until_ready(client, flow);
  }
  co_return true;
}

// Notices that the client leaves while a server is searched for: it will ask for its session on
// another connection then.
awaitable<void> watch_client(ConnectionPtr connection) {
  const LinkPtr client = connection->client;
  while (!connection->race_over) {
    const Flow flow = read_early(*connection);
    if (flow == Flow::ended || flow == Flow::failed) {
      connection->race->give_up();
      break;
    }
    if (flow != Flow::moved) co_await until_ready(client, flow);
  }
  connection->watch_ended->set();
}

// Answers what the server has sent first.
awaitable<std::optional<std::string>> find_server(ConnectionPtr connection) {
  const StationPtr station = connection->station;
  const RacePtr race =
      std::make_shared<Race>(station, std::exchange(connection->early, std::string()));
  connection->race = race;
  connection->watch_ended = station->clock->make_event();
  runtime::spawn(station->executor, watch_client(connection));
  Result<Winner> winner = co_await Race::run(race);
  connection->race_over = true;
  connection->client->wake();
  co_await connection->watch_ended->wait();
  if (!winner) {
    if (winner.error().errc != Errc::cancelled) station->note->write(winner.error());
    co_return std::nullopt;
  }
  station->note->clear();
  connection->server = winner->link;
  connection->server_number = winner->server;
  co_return std::move(winner->answer);
}

LanePtr make_lane(const Connection& connection, bool upward, std::string first) {
  const LinkPtr& client = connection.client;
  const LinkPtr& server = connection.server;
  return std::make_shared<Lane>(Lane{upward ? client : server, upward ? server : client,
                                     std::move(first), upward, connection.debt,
                                     connection.station->clock});
}

// Ends what is left of a connection whose client has ended, once the server has been silent for a
// session's time: one that is stopped would keep it for ever.
awaitable<void> end_when_quiet(ConnectionPtr connection) {
  const runtime::EventPtr ended = connection->all_ended;
  std::uint64_t heard = connection->debt->heard;
  while (true) {
    const runtime::Deadline late =
        connection->station->clock->after(connection->station->patience.session);
    const runtime::Alarm alarm = connection->station->clock->wake_at(late, ended);
    co_await ended->wait();
    if (connection->up.has_value() && connection->down.has_value()) co_return;
    if (std::exchange(heard, connection->debt->heard) == heard) break;
  }
  connection->server->reset();
}

// A client that leaves a server which owes it an answer takes it for dead.
void judge(const Connection& connection) {
  const std::optional<runtime::SteadyTime>& since = connection.debt->since;
  const Patience& patience = connection.station->patience;
  if (since.has_value() && connection.station->clock->now() - *since >= patience.silence) {
    connection.station->ensemble->failed(connection.server_number);
  }
}

awaitable<void> run_up(ConnectionPtr connection, LanePtr lane) {
  const LaneEnd end = co_await run_lane(lane);
  // A reset is not passed on: it could overtake the client's last words, which end its session.
  const LinkPtr server = connection->server;
  if (end == LaneEnd::from_failed) co_await finish_writing(server);
  if (end != LaneEnd::to_failed) {
    judge(*connection);
    runtime::spawn(connection->station->executor, end_when_quiet(connection));
  }
  connection->up = end;
  connection->lane_ended->set();
}

awaitable<void> run_down(ConnectionPtr connection, LanePtr lane) {
  const LaneEnd end = co_await run_lane(lane);
  const LinkPtr server = connection->server;
  if (end == LaneEnd::to_failed) co_await drain(server);
  if (end == LaneEnd::from_failed) {
    if (server->failure().has_value()) connection->station->note->write(*server->failure());
    connection->station->ensemble->failed(connection->server_number);
    connection->client->reset();
  }
  connection->down = end;
  connection->lane_ended->set();
}

}  // namespace

awaitable<void> serve(StationPtr station, LinkPtr client) {
  const auto connection = std::make_shared<Connection>();
  connection->station = station;
  connection->client = client;
  const bool asks = co_await read_first_packet(connection);
  if (!asks) co_return;
  std::optional<std::string> answer = co_await find_server(connection);
  if (!answer.has_value()) co_return;
  connection->lane_ended = station->clock->make_event();
  connection->all_ended = station->clock->make_event();
  const LanePtr up = make_lane(*connection, true, std::exchange(connection->early, {}));
  const LanePtr down = make_lane(*connection, false, *std::move(answer));
  runtime::spawn(station->executor, run_up(connection, up));
  runtime::spawn(station->executor, run_down(connection, down));
  while (!connection->up.has_value() || !connection->down.has_value()) {
    co_await connection->lane_ended->wait();
  }
  connection->all_ended->set();
  connection->server->close();
  client->close();
}

}  // namespace locker::backends::zookeeper::relay
