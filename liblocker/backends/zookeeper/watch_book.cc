#include "backends/zookeeper/watch_book.h"

#include <utility>

#include "backends/zookeeper/packet_limits.h"

namespace locker::backends::zookeeper {

Result<std::uint64_t> WatchBook::ask(const std::string& path, std::uint64_t call,
                                     const runtime::EventPtr& event) {
  const auto known = tickets_.find(path);
  if (known != tickets_.end()) {
    watches_.at(known->second).asking.emplace(call, event);
    return known->second;
  }
  if (watches_.size() >= watch_limit || bytes_ + size_of(path) > watch_bytes_limit) {
    return make_error(Errc::rate_limited, "too_many_watches",
                      "This session watches as many nodes as one packet can name; wait for fewer "
                      "locks at once, or with another process.");
  }
  const std::uint64_t ticket = ++last_ticket_;
  Watch watch;
  watch.path = path;
  watch.asking.emplace(call, event);
  watches_.emplace(ticket, std::move(watch));
  tickets_.emplace(path, ticket);
  bytes_ += size_of(path);
  return ticket;
}

void WatchBook::answered(std::uint64_t ticket, std::uint64_t call, bool success) {
  const auto found = watches_.find(ticket);
  if (found == watches_.end()) return;
  Watch& watch = found->second;
  const auto asked = watch.asking.find(call);
  if (asked == watch.asking.end()) return;
  if (success) {
    watch.stands = true;
    // Whoever asks again and again for a node that stays is not kept again and again.
    std::erase_if(watch.listeners, [&](const std::weak_ptr<runtime::Event>& each) {
      const runtime::EventPtr event = each.lock();
      return event == nullptr || event == asked->second.lock();
    });
    watch.listeners.push_back(asked->second);
  }
  watch.asking.erase(asked);
  forget_if_idle(found);
}

void WatchBook::fired(std::uint64_t ticket) {
  const auto found = watches_.find(ticket);
  if (found == watches_.end()) return;
  found->second.stands = false;
  const Listeners listeners = std::exchange(found->second.listeners, {});
  forget_if_idle(found);
  set_all(listeners);
}

void WatchBook::shake() {
  for (const auto& [ticket, watch] : watches_) set_all(watch.listeners);
}

void WatchBook::clear() {
  const Watches watches = std::exchange(watches_, {});
  tickets_.clear();
  bytes_ = 0;
  for (const auto& [ticket, watch] : watches) {
    set_all(watch.listeners);
    for (const auto& [call, asking] : watch.asking) set_all({asking});
  }
}

void WatchBook::set_all(const Listeners& listeners) {
  for (const std::weak_ptr<runtime::Event>& each : listeners) {
    if (const runtime::EventPtr event = each.lock()) event->set();
  }
}

// As a packet holds it, behind its length.
std::size_t WatchBook::size_of(const std::string& path) {
  return path.size() + sizeof(std::int32_t);
}

void WatchBook::forget_if_idle(Watches::iterator watch) {
  if (watch->second.stands || !watch->second.asking.empty()) return;
  bytes_ -= size_of(watch->second.path);
  tickets_.erase(watch->second.path);
  watches_.erase(watch);
}

}  // namespace locker::backends::zookeeper
