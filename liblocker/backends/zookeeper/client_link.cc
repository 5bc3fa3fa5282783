#include "backends/zookeeper/client_link.h"

#include <utility>

#include "backends/zookeeper/client_callbacks.h"
#include "backends/zookeeper/packet_limits.h"
#include "backends/zookeeper/zookeeper_errors.h"

namespace locker::backends::zookeeper {
namespace {

Answer our_answer(Error error) {
  Answer answer;
  answer.ours.emplace(std::move(error));
  return answer;
}

Error session_closed() {
  return make_error(Errc::lost, "This session at ZooKeeper was closed.");
}

}  // namespace

void Audience::add(const runtime::EventPtr& event) {
  std::erase_if(events_, [](const auto& each) { return each.expired(); });
  events_.push_back(event);
}

void Audience::tell() {
  for (const auto& each : events_) {
    if (const runtime::EventPtr event = each.lock()) event->set();
  }
}

std::shared_ptr<ClientLink> ClientLink::open(Options options) {
  std::shared_ptr<ClientLink> link(new ClientLink(std::move(options)));
  link->mailbox_->address(link);
  link->thread_.emplace(link->mailbox_, link->options_.servers, link->options_.session_timeout_ms);
  return link;
}

ClientLink::ClientLink(Options options)
    : options_(std::move(options)), mailbox_(Mailbox::open(options_.executor)) {}

ClientLink::~ClientLink() {
  mailbox_->close();
  if (closed_) return;
  end(session_closed());
  land_all();
  thread_->close(take_keepsakes());
}

// Why nothing can be sent now.
std::optional<Error> ClientLink::obstacle() const {
  if (over_) return over_;
  if (client_ == nullptr) return error_of(ZCONNECTIONLOSS, "/");
  if (flights_.size() >= flight_limit) {
    return make_error(Errc::rate_limited, "too_many_requests",
                      "Too many requests to ZooKeeper wait for their answer.");
  }
  return std::nullopt;
}

void ClientLink::send(const Request& request, Landing landing, ClientThread::Keepsake keepsake) {
  if (const std::optional<Error> error = obstacle()) {
    landing(our_answer(*error));
    return;
  }
  const std::uint64_t call = ++last_call_;
  if (keepsake != nullptr) keepsakes_.emplace(call, std::move(keepsake));
  dispatch(call, request, std::move(landing));
}

void ClientLink::watch(const std::string& path, const runtime::EventPtr& changed, Landing landing) {
  std::optional<Error> error = obstacle();
  if (error) {
    landing(our_answer(*error));
    return;
  }
  const std::uint64_t call = ++last_call_;
  const Result<std::uint64_t> ticket = watches_.ask(path, call, changed);
  if (!ticket) {
    landing(our_answer(ticket.error()));
    return;
  }
  auto request = [&](zhandle_t* client, const void* data) {
    return zoo_awget(client, path.c_str(), hear_watch, mailbox_->context(*ticket), hear_data, data);
  };
  auto note = [this, call, ticket = *ticket, land = std::move(landing)](Answer answer) {
    watches_.answered(ticket, call, answer.is_success());
    land(std::move(answer));
  };
  dispatch(call, request, std::move(note));
}

void ClientLink::dispatch(std::uint64_t call, const Request& request, Landing landing) {
  flights_.emplace(call, std::move(landing));
  ++requests_;
  const int code = request(client_, mailbox_->context(call));
  if (code == ZOK) return;
  Answer answer;
  answer.code = code;
  answered(call, std::move(answer));
}

// An answer of the client's own that says "perhaps" is worth nothing once the session is over: then
// the request has no effect any more that it has not had.
void ClientLink::answered(std::uint64_t call, Answer answer) {
  const auto flight = flights_.find(call);
  if (flight != flights_.end()) {
    const Landing landing = std::move(flight->second);
    flights_.erase(flight);
    if (over_ && is_unknown(answer.code)) answer.ours = over_;
    landing(std::move(answer));
  }
  keepsakes_.erase(call);
}

void ClientLink::opened(zhandle_t* client) {
  if (closing_) return;
  client_ = client;
  identify();
  contact_listeners_.tell();
}

void ClientLink::failed(const std::string& reason) {
  if (over_) return;
  const std::string trouble = mailbox_->noted();
  end(make_error(Errc::unavailable, "No ZooKeeper server among " + options_.servers +
                                        " has an address (" + (trouble.empty() ? reason : trouble) +
                                        ")."));
}

void ClientLink::hear(const SessionNews& news) {
  if (over_) return;
  if (news.state == ZOO_EXPIRED_SESSION_STATE) {
    end(make_error(Errc::lost, "The session at ZooKeeper has expired."));
    land_all();
  } else if (news.state == ZOO_AUTH_FAILED_STATE) {
    end(error_of(ZAUTHFAILED, "/"));
    land_all();
  } else if (news.state == ZOO_CONNECTED_STATE) {
    session_id_ = news.id;
    timeout_ms_ = news.timeout_ms;
    mailbox_->note({});
    identify();
    set_contact(true);
  } else {
    set_contact(false);
  }
}

// Only while it is connected does the client take an identity for certain. It tells the server once
// more after each reconnect, before everything else.
void ClientLink::identify() {
  if (options_.digest.empty() || identity_sent_ || client_ == nullptr || session_id_ == 0) return;
  const int code =
      zoo_add_auth(client_, "digest", options_.digest.data(),
                   static_cast<int>(options_.digest.size()), hear_identity, mailbox_->context(0));
  // Otherwise the connection has gone in the meantime; its next one is the next occasion.
  identity_sent_ = code == ZOK;
}

// A refusal is told of the session as well, but later and by another thread. Lost on the way: the
// client tells it again.
void ClientLink::identified(int code) {
  if (code == ZOK || is_unknown(code)) {
    identity_heard_ = true;
    contact_listeners_.tell();
  } else if (!over_) {
    end(error_of(ZAUTHFAILED, "/"));
    land_all();
  }
}

bool ClientLink::is_ready() const {
  return !over_ && client_ != nullptr && in_contact_ &&
         (options_.digest.empty() || identity_heard_);
}

void ClientLink::set_contact(bool contact) {
  in_contact_ = contact;
  contact_listeners_.tell();
  watches_.shake();
}

void ClientLink::on_over(const runtime::EventPtr& event) {
  over_listeners_.add(event);
  if (over_) event->set();
}

void ClientLink::end(const Error& why) {
  if (over_) return;
  over_ = why;
  in_contact_ = false;
  watches_.clear();
  over_listeners_.tell();
  contact_listeners_.tell();
}

void ClientLink::land_all() {
  for (const auto& [call, landing] : std::exchange(flights_, {})) landing(our_answer(*over_));
}

ClientThread::Keepsake ClientLink::take_keepsakes() {
  return std::make_shared<Keepsakes>(std::exchange(keepsakes_, {}));
}

runtime::EventPtr ClientLink::close() {
  if (closed_) return nullptr;
  closers_.push_back(std::make_shared<runtime::Event>(options_.executor));
  if (!closing_) {
    closing_ = true;
    client_ = nullptr;
    end(session_closed());
    thread_->close(take_keepsakes());
  }
  return closers_.back();
}

void ClientLink::closed() {
  closed_ = true;
  land_all();
  thread_->join();
  mailbox_->close();
  for (const runtime::EventPtr& event : closers_) event->set();
}

}  // namespace locker::backends::zookeeper
