#include "backends/local/local_session.h"
#include "runtime/spawn.h"

#include <algorithm>
#include <utility>

namespace locker::backends::local {

using boost::asio::posix::stream_descriptor;
using runtime::awaitable;
using runtime::Joined;
using runtime::StandingTicket;

namespace {

// After a look that failed, because others keep the store busy or its disk is full.
constexpr std::chrono::milliseconds look_again_after{100};
// What a closing session can't say by then dies with it.
constexpr AskOptions closing_patience{std::chrono::milliseconds(1000), false};

}  // namespace

LocalSession::LocalSession(Parts parts)
    : thread_(std::move(parts.thread)),
      patience_(parts.patience),
      id_(std::move(parts.id)),
      life_(std::move(parts.pipes.life)),
      bell_(thread_->executor(), parts.pipes.bell.release()),
      again_timer_(thread_->executor()),
      opened_at_(parts.opened_at),
      files_(std::move(parts.files)) {}

LocalSession::~LocalSession() {
  if (closed_) return;
  auto forget = [id = id_](Result<Store*> store) {
    if (store) static_cast<void>((*store)->close_session(id));
  };
  thread_->post(closing_patience, forget);
}

void LocalSession::start() {
  watches_ = std::make_shared<Watches>(thread_->executor(), files_,
                                       [weak = weak_from_this()](const std::string& session) {
                                         if (const Self self = weak.lock()) self->suspect(session);
                                       });
  hear_bell();
}

void LocalSession::hear_bell() {
  bell_.async_wait(stream_descriptor::wait_read,
                   [weak = weak_from_this()](const boost::system::error_code& failure) {
                     const Self self = weak.lock();
                     if (self == nullptr || failure || self->closed_) return;
                     // Emptied before the look: a stroke that comes later means another look.
                     empty_bell(self->bell_.native_handle());
                     self->look();
                     self->hear_bell();
                   });
}

void LocalSession::suspect(const std::string& session) {
  suspects_.insert(session);
  look();
}

void LocalSession::look() {
  look_again_ = true;
  if (looking_ || closed_) return;
  looking_ = true;
  runtime::spawn(thread_->executor(), look_on(shared_from_this()));
}

void LocalSession::look_later() {
  again_timer_.expires_after(look_again_after);
  again_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& failure) {
    const Self self = weak.lock();
    if (self != nullptr && !failure) self->look();
  });
}

awaitable<void> LocalSession::look_on(Self self) {
  const StoreThreadPtr thread = self->thread_;
  const AskOptions patience = self->patience_;
  while (self->look_again_ && !self->closed_) {
    self->look_again_ = false;
    const std::vector<std::string> suspects(self->suspects_.begin(), self->suspects_.end());
    self->suspects_.clear();
    const std::string id = self->id_;
    const StoreWork<Look> work = [id, suspects](Store& store) { return store.look(id, suspects); };
    const Result<Look> seen = co_await ask<Look>(thread, patience, work);
    if (seen) {
      self->see(*seen);
    } else if (seen.error().errc == Errc::lost) {
      self->end(seen.error());
    } else {
      self->suspects_.insert(suspects.begin(), suspects.end());
      self->look_later();
    }
  }
  self->looking_ = false;
}

void LocalSession::see(const Look& seen) {
  for (const std::string& session : seen.alive) {
    if (watches_->watch_life_again(session)) continue;
    suspects_.insert(session);
    look_later();
  }
  for (const std::string& node : seen.nodes) watches_->fire(node);
  if (seen.over) end(*seen.over);
}

void LocalSession::end(const Error& why) {
  if (over_) return;
  over_ = why;
  for (const std::weak_ptr<runtime::Event>& listening : std::exchange(over_events_, {})) {
    if (const runtime::EventPtr event = listening.lock()) event->set();
  }
  watches_->fire_all();
}

void LocalSession::on_over(const runtime::EventPtr& event) {
  if (over_) {
    event->set();
  } else {
    over_events_.push_back(event);
  }
}

template <typename T>
awaitable<Result<T>> LocalSession::verb(Self self, StoreWork<T> work) {
  if (self->over_) co_return *self->over_;
  const StoreThreadPtr thread = self->thread_;
  const AskOptions patience = self->patience_;
  Result<T> result = co_await ask<T>(thread, patience, work);
  if (!result && result.error().errc == Errc::lost) {
    self->end(result.error());
    // Those who listen were woken by a post; go behind them.
    const auto turn = std::make_shared<runtime::Event>(thread->executor());
    boost::asio::post(thread->executor(), [turn] { turn->set(); });
    co_await turn->wait();
  }
  co_return result;
}

awaitable<Result<Joined>> LocalSession::join(runtime::RequestPtr request) {
  const Self self = shared_from_this();
  const std::string id = id_;
  const StoreWork<Joined> work = [id, request](Store& store) { return store.join(id, *request); };
  co_return co_await verb<Joined>(self, work);
}

awaitable<Result<std::optional<Joined>>> LocalSession::find(runtime::RequestPtr request) {
  using Answer = std::optional<Joined>;
  const Self self = shared_from_this();
  const std::string id = id_;
  const StoreWork<Answer> work = [id, request](Store& store) { return store.find(id, *request); };
  co_return co_await verb<Answer>(self, work);
}

awaitable<Result<std::vector<StandingTicket>>> LocalSession::standing(
    std::vector<core::Place> places) {
  using Answer = std::vector<StandingTicket>;
  const Self self = shared_from_this();
  const std::string id = id_;
  const StoreWork<Answer> work = [id, places](Store& store) { return store.standing(id, places); };
  co_return co_await verb<Answer>(self, work);
}

awaitable<Result<std::vector<core::Ticket>>> LocalSession::still_there(
    std::vector<core::Ticket> tickets) {
  using Answer = std::vector<core::Ticket>;
  const Self self = shared_from_this();
  const std::string id = id_;
  const StoreWork<Answer> work = [id, tickets](Store& store) {
    return store.still_there(id, tickets);
  };
  co_return co_await verb<Answer>(self, work);
}

// The event is known here before the row is: a bell that rings in between finds it.
awaitable<Result<void>> LocalSession::watch(core::Ticket ticket, runtime::EventPtr changed) {
  const Self self = shared_from_this();
  const std::string id = id_;
  watches_->add(ticket.node, changed);
  const StoreWork<Watched> work = [id, ticket](Store& store) { return store.watch(id, ticket); };
  const Result<Watched> watched = co_await verb<Watched>(self, work);
  if (!watched) co_return watched.error();
  if (watched->changed) {
    watches_->fire(ticket.node);
    // The node may have fired, and been forgotten, before.
    changed->set();
    co_return Result<void>();
  }
  if (watched->session == id_) co_return Result<void>();
  co_return watches_->watch_life(ticket.node, watched->session);
}

awaitable<Result<void>> LocalSession::leave(std::string request_id) {
  const Self self = shared_from_this();
  const std::string id = id_;
  const std::vector<std::string> unwanted = watches_->forget_unwanted();
  const StoreWork<void> work = [id, request_id, unwanted](Store& store) {
    return store.leave(id, request_id, unwanted);
  };
  co_return co_await verb<void>(self, work);
}

awaitable<Result<void>> LocalSession::lower(std::string request_id) {
  const Self self = shared_from_this();
  const std::string id = id_;
  const StoreWork<void> work = [id, request_id](Store& store) {
    return store.lower(id, request_id);
  };
  co_return co_await verb<void>(self, work);
}

awaitable<Result<void>> LocalSession::reown(std::string request_id, std::string owner_id,
                                            std::string proof) {
  const Self self = shared_from_this();
  const std::string id = id_;
  const std::function<Result<void>(Store&)> work = [id, request_id, owner_id, proof](Store& store) {
    return store.reown(id, request_id, owner_id, proof);
  };
  co_return co_await verb<void>(self, work);
}

awaitable<Result<std::vector<StandingTicket>>> LocalSession::tickets_of(
    std::string owner_id, std::vector<core::Place> near) {
  static_cast<void>(near);  // a query by owner finds all of them
  using Answer = std::vector<StandingTicket>;
  const Self self = shared_from_this();
  const std::string id = id_;
  const StoreWork<Answer> work = [id, owner_id](Store& store) {
    return store.tickets_of(id, owner_id);
  };
  co_return co_await verb<Answer>(self, work);
}

awaitable<Result<void>> LocalSession::write_if_held(std::string request_id, std::string key,
                                                    std::string value) {
  const Self self = shared_from_this();
  const std::string id = id_;
  const StoreWork<void> work = [id, request_id, key, value](Store& store) {
    return store.write_if_held(id, request_id, key, value);
  };
  co_return co_await verb<void>(self, work);
}

// The kernel vouches for this session, so there is nothing to confirm.
awaitable<Result<void>> LocalSession::beat() {
  if (over_) co_return *over_;
  co_return Result<void>();
}

awaitable<Result<void>> LocalSession::touch() {
  if (over_) co_return *over_;
  co_return Result<void>();
}

awaitable<void> LocalSession::close() {
  if (closed_) co_return;
  closed_ = true;
  const Self self = shared_from_this();
  const StoreThreadPtr thread = thread_;
  const AskOptions patience = closing_patience;
  const std::string id = id_;
  const StoreWork<void> work = [id](Store& store) { return store.close_session(id); };
  const Result<void> closed = co_await ask<void>(thread, patience, work);
  static_cast<void>(closed);
  const Error ended = make_error(Errc::lost, "This session was closed.");
  self->end(ended);
  boost::system::error_code ignored;
  bell_.close(ignored);
  again_timer_.cancel();
  life_.close();
}

}  // namespace locker::backends::local
