#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <locker/result.h>

#include "runtime/clock.h"
#include "runtime/lease.h"
#include "runtime/lock_backend.h"

namespace locker::runtime {

// A session, kept alive by heartbeats, and how long it may be believed in. Lost once, for good.
// Everything runs on the runtime's thread but the const members marked so, which any thread may
// call.
class Lifeline : public std::enable_shared_from_this<Lifeline> {
 public:
  Lifeline(boost::asio::any_io_executor executor, std::shared_ptr<Clock> clock, SessionPtr session);

  // Begins to beat; call once.
  void start();
  // How long whoever breaks a session waits for those who hold by it to stop, before it takes their
  // places away.
  static Milliseconds break_grace(std::optional<Milliseconds> timeout) {
    return timeout.value_or(std::chrono::seconds(10));
  }

  // Ends the session in the background, at once. What was granted by it is lost with `why`.
  void close(const Error& why);
  // Waits until the session is closed at the coordinator; after `close`.
  awaitable<void> closed();

  Session& session() const { return *session_; }
  const SessionPtr& session_ptr() const { return session_; }

  // Somebody waits by this session, or holds by it: only then does it write heartbeats. Only while
  // somebody holds is the end of its lease a loss: an idle session believes in nothing.
  // The first use needs no heartbeat of its own: enqueueing is a confirmed write, and the reads of
  // the idle session before it are old enough for it to count.
  void begin_wait() { ++waiters_; }
  void end_wait() { --waiters_; }
  void begin_hold();
  void end_hold();

  // A verb that wrote was sent at `sent` and has been confirmed.
  void wrote(BootTime sent);

  // Whether what it granted may be believed now. Any thread.
  bool valid() const { return !is_lost() && valid_for() > Milliseconds::zero(); }
  // How long so; Milliseconds::max() where the kernel vouches. Any thread.
  Milliseconds valid_for() const;
  // Whether the coordinator answered the last heartbeat. Any thread.
  bool in_contact() const { return in_contact_.load(); }
  // Any thread.
  bool is_lost() const { return lost_flag_.load(); }

  // Why it was lost; nothing while it lives.
  const std::optional<Error>& lost() const { return lost_; }
  // Sets `event` when it is lost, at once if it is already. Forgotten with the event.
  void on_lost(const EventPtr& event);
  // Called with the end of the lease: now, and each time that it is put off. Never where the kernel
  // vouches. Forgotten with the callback.
  using Renewed = std::function<void(BootTime)>;
  void on_renewed(const std::shared_ptr<const Renewed>& callback);
  // Called once when it is lost, before any event is set.
  void when_lost(std::function<void(const Error&)> callback) { when_lost_ = std::move(callback); }

 private:
  static awaitable<void> run(std::shared_ptr<Lifeline> self);
  static awaitable<void> beat(std::shared_ptr<Lifeline> self);
  static awaitable<void> finish(std::shared_ptr<Lifeline> self);
  void publish_lease();
  bool in_use() const { return waiters_ > 0 || holders_ > 0; }
  // Whether a holder may not believe any more; then the session is lost, for good.
  bool lease_is_over();
  void lose(const Error& why);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<Clock> clock_;
  SessionPtr session_;
  std::optional<Lease> lease_;  // nothing where the session has no time-out
  EventPtr tick_;
  Alarm beat_alarm_;
  Alarm lease_alarm_;
  EventPtr closed_;
  EventPtr let_go_;  // nobody holds by the lost session any more
  bool beating_ = false;
  Deadline next_beat_;
  int waiters_ = 0;
  int holders_ = 0;
  bool closing_ = false;
  std::optional<Error> lost_;
  std::vector<std::weak_ptr<Event>> listeners_;
  std::vector<std::weak_ptr<const Renewed>> renewals_;
  std::function<void(const Error&)> when_lost_;
  std::atomic<bool> lost_flag_{false};
  std::atomic<bool> in_contact_{true};
  std::atomic<BootTime::rep> valid_until_ms_{std::numeric_limits<BootTime::rep>::max()};
};
using LifelinePtr = std::shared_ptr<Lifeline>;

}  // namespace locker::runtime
