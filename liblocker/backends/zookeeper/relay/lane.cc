#include "backends/zookeeper/relay/lane.h"

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace locker::backends::zookeeper::relay {
namespace {

using boost::asio::awaitable;

// As much as one system call moves; a TLS record holds a quarter of it.
constexpr std::size_t room_bytes = 65536;
// After so many pieces in a row the other connections have their turn.
constexpr int most_in_a_row = 16;

void account(Lane& lane) {
  if (!lane.upward) {
    lane.debt->since.reset();
    ++lane.debt->heard;
  } else if (!lane.debt->since.has_value()) {
    lane.debt->since = lane.clock->now();
  }
}

// Not by waiting for the link: what TLS has read ahead wakes nobody.
awaitable<void> let_others_go(LinkPtr link) {
  constexpr auto token = boost::asio::use_awaitable;
  const auto executor = link->socket().get_executor();
  co_await boost::asio::post(executor, token);
}

}  // namespace

awaitable<LaneEnd> run_lane(LanePtr lane) {
  const LinkPtr from = lane->from;
  const LinkPtr to = lane->to;
  const auto room = std::make_unique_for_overwrite<char[]>(room_bytes);
  const std::string first = std::exchange(lane->first, {});
  const Flow begun = co_await write_all(to, first);
  if (begun != Flow::moved) co_return LaneEnd::to_failed;
  int in_a_row = 0;
  while (true) {
    const Transfer got = from->read_some({room.get(), room_bytes});
    Flow wants = got.flow;
    if (wants == Flow::failed) co_return LaneEnd::from_failed;
    if (wants == Flow::ended) {
      const Flow told = co_await finish_writing(to);
      co_return told == Flow::moved ? LaneEnd::ended : LaneEnd::to_failed;
    }
    if (wants == Flow::moved) {
      account(*lane);
      std::size_t done = 0;
      while (done < got.bytes) {
        const Transfer put = to->write_some({room.get() + done, got.bytes - done});
        const Flow flow = put.flow;
        if (flow == Flow::failed || flow == Flow::ended) co_return LaneEnd::to_failed;
        if (flow != Flow::moved) co_await until_ready(to, flow);
        done += put.bytes;
      }
      // What did not fill the room was all there was: waiting saves the call that says so.
      if (from->reads_ahead() || got.bytes == room_bytes) {
        if (++in_a_row < most_in_a_row) continue;
        in_a_row = 0;
        co_await let_others_go(from);
        continue;
      }
      wants = Flow::wants_read;
    }
    in_a_row = 0;
    co_await until_ready(from, wants);
  }
}

awaitable<void> drain(LinkPtr link) {
  std::array<char, 4096> room;
  while (true) {
    const Transfer got = link->read_some(room);
    const Flow flow = got.flow;
    if (flow == Flow::failed || flow == Flow::ended) co_return;
    if (flow != Flow::moved) co_await until_ready(link, flow);
  }
}

}  // namespace locker::backends::zookeeper::relay
