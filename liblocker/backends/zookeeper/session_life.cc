#include <algorithm>
#include <utility>

#include "backends/zookeeper/zookeeper_session.h"
#include "runtime/spawn.h"

namespace locker::backends::zookeeper {

using runtime::awaitable;
using runtime::EventPtr;

namespace {

std::int64_t wall_ms(const runtime::Clock& clock) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock.wall_now().time_since_epoch())
      .count();
}

}  // namespace

ZooKeeperSession::ZooKeeperSession(Parts parts)
    : executor_(std::move(parts.executor)),
      clock_(std::move(parts.clock)),
      view_(std::move(parts.view)),
      self_(std::move(parts.self)),
      name_(session_name(view_->handle->session_id())),
      opened_ms_(wall_ms(*clock_)),
      break_news_(clock_->make_event()) {}

void ZooKeeperSession::start() {
  view_->processes->insert_or_assign(name_, self_);
}

std::optional<runtime::Milliseconds> ZooKeeperSession::timeout() const {
  return view_->handle->timeout();
}

std::optional<Error> ZooKeeperSession::over() const {
  return over_.has_value() ? over_ : view_->handle->over();
}

void ZooKeeperSession::on_over(const EventPtr& event) {
  std::erase_if(over_events_, [](const auto& other) { return other.expired(); });
  over_events_.push_back(event);
  if (over_.has_value()) event->set();
  view_->handle->on_over(event);
}

void ZooKeeperSession::end(const Error& why) {
  if (over_.has_value()) return;
  over_ = why;
  for (const auto& listener : std::exchange(over_events_, {})) {
    if (const EventPtr event = listener.lock()) event->set();
  }
}

std::string ZooKeeperSession::session_json() const {
  return to_json(SessionText{self_, opened_ms_, wall_ms(*clock_), timeout()->count()});
}

// Makes the session's own node, or writes it anew: the heartbeat. Whoever broke the session took
// the node away for good.
awaitable<Result<void>> ZooKeeperSession::rewrite_own_node(Self self) {
  if (self->over().has_value()) co_return *self->over();
  const std::string path = self->view_->tree.owner(self->name_);
  const HandlePtr handle = self->view_->handle;
  if (self->own_node_made_) {
    Flight<Stat> flight = handle->set(path, self->session_json());
    const Result<Stat> written = co_await flight.answer();
    if (written) co_return Result<void>();
    if (written.error().errc != Errc::not_found) co_return written.error();
    co_return co_await check_broken(self);
  }
  Flight<Created> flight =
      handle->create(path, self->session_json(), NodeKind::ephemeral, Access::own);
  const Result<Created> made = co_await flight.answer();
  if (!made && made.error().code != "node_exists") co_return made.error();
  self->own_node_made_ = true;
  self->begin_to_hear();
  // A lost reply to an earlier create may hide that the node was there, and was taken away.
  co_return Result<void>();
}

// The own node is gone: somebody broke this session, and said why.
awaitable<Result<void>> ZooKeeperSession::check_broken(Self self) {
  Flight<NodeData> flight = self->view_->handle->get(self->view_->tree.broken(self->name_));
  const Result<NodeData> read = co_await flight.answer();
  if (!read && read.error().errc != Errc::not_found) co_return read.error();
  std::string text = "this session was broken";
  if (read) {
    const BrokenText broken = broken_text(read->data);
    if (!broken.by.empty()) text += " by " + broken.by;
    if (!broken.reason.empty()) text += ": " + broken.reason;
  } else {
    text += ": its node " + self->view_->tree.owner(self->name_) + " was removed";
  }
  self->end(make_error(Errc::lost, "broken", text));
  co_return *self->over_;
}

void ZooKeeperSession::begin_to_hear() {
  if (std::exchange(hears_breaks_, true)) return;
  runtime::spawn(executor_, hear_of_breaks(shared_from_this()));
}

// Every break changes the data of one node that all sessions watch; breaks are rare.
awaitable<void> ZooKeeperSession::hear_of_breaks(Self self) {
  const EventPtr news = self->break_news_;
  const HandlePtr handle = self->view_->handle;
  while (!self->over().has_value() && !self->closed_) {
    Flight<NodeData> watch = handle->watch(self->view_->tree.all_broken(), news);
    Flight<NodeData> mine = handle->get(self->view_->tree.broken(self->name_));
    const Result<NodeData> armed = co_await watch.answer();
    const Result<NodeData> broken = co_await mine.answer();
    if (broken) {
      const Result<void> told = co_await check_broken(self);
      static_cast<void>(told);
      co_return;
    }
    // Without a watch the next heartbeat tells.
    if (!armed) {
      const runtime::Alarm alarm =
          self->clock_->wake_at(self->clock_->after(handle->timeout()), news);
      co_await news->wait();
      continue;
    }
    co_await news->wait();
  }
}

awaitable<Result<void>> ZooKeeperSession::beat() {
  const Self self = shared_from_this();
  co_return co_await rewrite_own_node(self);
}

awaitable<Result<void>> ZooKeeperSession::touch() {
  const Self self = shared_from_this();
  if (self->over().has_value()) co_return *self->over();
  Flight<Stat> flight = self->view_->handle->exists(self->view_->tree.root());
  const Result<Stat> answer = co_await flight.answer();
  if (!answer && answer.error().errc != Errc::not_found) co_return answer.error();
  co_return Result<void>();
}

awaitable<void> ZooKeeperSession::close() {
  const Self self = shared_from_this();
  self->closed_ = true;
  const HandlePtr handle = self->view_->handle;
  // Where there is no contact the servers end the session after its time-out; while contact may
  // come back soon, saying it then is better.
  constexpr runtime::Milliseconds most_patience{2000};
  const EventPtr contact = self->clock_->make_event();
  const runtime::Deadline until = self->clock_->after(most_patience);
  const runtime::Alarm alarm = self->clock_->wake_at(until, contact);
  handle->on_contact(contact);
  handle->on_over(contact);
  while (!handle->in_contact() && !handle->over().has_value() && self->clock_->now() < until.at) {
    co_await contact->wait();
  }
  // The mark of its break was for this session alone, which has read it.
  if (self->over_.has_value() && self->over_->code == "broken" && handle->in_contact()) {
    Flight<void> unmark = handle->remove(self->view_->tree.broken(self->name_));
    const Result<void> unmarked = co_await unmark.answer();
    static_cast<void>(unmarked);
  }
  co_await handle->close();
  self->end(make_error(Errc::lost, "this session is closed"));
  self->break_news_->set();
  self->requests_.clear();
}

}  // namespace locker::backends::zookeeper
