#include "backends/local/watches.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "backends/local/pipes.h"
#include "backends/local/system_error.h"

namespace locker::backends::local {

using boost::asio::posix::stream_descriptor;

Watches::Watches(boost::asio::any_io_executor executor, StoreFiles files,
                 std::function<void(std::string)> on_death)
    : executor_(std::move(executor)), files_(std::move(files)), on_death_(std::move(on_death)) {}

void Watches::add(const std::string& node, const runtime::EventPtr& event) {
  std::vector<std::weak_ptr<runtime::Event>>& events = nodes_[node].events;
  std::erase_if(events, [](const auto& known) { return known.expired(); });
  const bool known = std::ranges::any_of(
      events, [&](const std::weak_ptr<runtime::Event>& one) { return one.lock() == event; });
  if (!known) events.push_back(event);
}

Result<void> Watches::watch_life(const std::string& node, const std::string& session) {
  const auto found = nodes_.find(node);
  // It fired, or the wait ended, while the store was asked.
  if (found == nodes_.end() || found->second.session == session) return {};
  auto life = lives_.find(session);
  if (life == lives_.end()) {
    Descriptor pipe = open_life(files_.life(session));
    const int why = errno;
    if (!pipe.is_open() && (why == EMFILE || why == ENFILE || why == ENOMEM)) {
      return system_error("watch the life pipe", files_.life(session), why);
    }
    stream_descriptor stream(executor_);
    if (pipe.is_open()) stream.assign(pipe.release());
    life = lives_.try_emplace(session, std::move(stream)).first;
    // A pipe that is missing belongs to a session that has just gone, or was removed by hand: who
    // looks will tell. One that may not be read leaves the bell alone to be heard.
    if (life->second.pipe.is_open()) {
      wait_for_death(session, life->second);
    } else if (why == ENOENT) {
      on_death_(session);
    }
  }
  ++life->second.nodes;
  found->second.session = session;
  return {};
}

bool Watches::watch_life_again(const std::string& session) {
  const auto life = lives_.find(session);
  if (life == lives_.end()) return true;  // Nobody waits for it any more.
  if (!life->second.pipe.is_open()) {
    Descriptor pipe = open_life(files_.life(session));
    if (!pipe.is_open()) return false;
    life->second.pipe.assign(pipe.release());
  }
  wait_for_death(session, life->second);
  return true;
}

// Readable means hung up, since nobody writes into a life pipe. One that hung up before this wait
// began polls as readable too; only one that had no writer when it was opened does not, and is
// asked here.
void Watches::wait_for_death(const std::string& session, LifeWatch& watch) {
  if (life_of(watch.pipe.native_handle()) == Life::dead) {
    on_death_(session);
    return;
  }
  watch.pipe.async_wait(
      stream_descriptor::wait_read,
      [weak = weak_from_this(), session](const boost::system::error_code& failure) {
        const std::shared_ptr<Watches> self = weak.lock();
        if (self != nullptr && !failure) self->hung_up(session);
      });
}

void Watches::hung_up(const std::string& session) {
  const auto life = lives_.find(session);
  if (life != lives_.end()) wait_for_death(session, life->second);
}

void Watches::fire(const std::string& node) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  const std::vector<std::weak_ptr<runtime::Event>> events = std::move(found->second.events);
  forget(found);
  for (const std::weak_ptr<runtime::Event>& waiting : events) {
    if (const runtime::EventPtr event = waiting.lock()) event->set();
  }
}

void Watches::fire_all() {
  while (!nodes_.empty()) {
    const std::string node = nodes_.begin()->first;
    fire(node);
  }
}

std::vector<std::string> Watches::forget_unwanted() {
  std::vector<std::string> unwanted;
  for (auto node = nodes_.begin(); node != nodes_.end();) {
    const bool wanted = std::ranges::any_of(node->second.events,
                                            [](const auto& waiting) { return !waiting.expired(); });
    if (wanted) {
      ++node;
    } else {
      unwanted.push_back(node->first);
      node = forget(node);
    }
  }
  return unwanted;
}

Watches::Nodes::iterator Watches::forget(Nodes::iterator node) {
  const auto life = lives_.find(node->second.session);
  if (life != lives_.end() && --life->second.nodes == 0) lives_.erase(life);
  return nodes_.erase(node);
}

}  // namespace locker::backends::local
