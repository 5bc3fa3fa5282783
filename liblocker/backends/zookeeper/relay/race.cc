#include "backends/zookeeper/relay/race.h"

#include <array>
#include <utility>

#include "backends/zookeeper/relay/dial.h"
#include "runtime/spawn.h"

namespace locker::backends::zookeeper::relay {
namespace {

using boost::asio::awaitable;

// ZooKeeper answers with a length whose first byte is 0. Whatever else answers is not asked again.
std::optional<Error> not_zookeeper(const std::string& name, const std::string& answer) {
  if (answer.front() == '\0') return std::nullopt;
  const bool tls = answer.front() == '\x15';
  return make_error(Errc::unavailable,
                    name + (tls ? " speaks TLS, and the connection is set to plain TCP"
                                : " does not answer as ZooKeeper does: is that its port?"));
}

}  // namespace

Race::Race(StationPtr station, std::string request)
    : station_(std::move(station)),
      request_(std::move(request)),
      changed_(station_->clock->make_event()),
      start_next_(station_->clock->make_event()) {}

awaitable<Result<Winner>> Race::run(RacePtr race) {
  if (race->station_->tls != nullptr) {
    Result<void> refreshed = race->station_->tls->refresh();
    if (!refreshed) race->bad_files_ = refreshed.error();
  }
  race->targets_ = race->station_->ensemble->targets();
  runtime::spawn(race->station_->executor, start_attempts(race));
  while (!race->given_up_) {
    if (race->ready_.empty()) {
      if (race->all_have_ended()) co_return race->failure();
      co_await race->changed_->wait();
      continue;
    }
    const CandidatePtr candidate = race->ready_.front();
    race->ready_.pop_front();
    Result<std::string> answer = co_await ask(race, candidate);
    if (answer) {
      race->station_->ensemble->answered(candidate->server);
      race->end(candidate->link);
      co_return Winner{candidate->link, candidate->server, *std::move(answer)};
    }
    candidate->link->reset();
    if (!race->given_up_) race->failed(candidate->server, answer.error());
  }
  co_return make_error(Errc::cancelled, "the client ended the connection");
}

void Race::give_up() {
  given_up_ = true;
  end(nullptr);
}

bool Race::all_have_ended() const {
  return started_ == targets_.size() && running_ == 0;
}

void Race::failed(std::size_t server, Error why) {
  station_->ensemble->failed(server);
  if (failures_.size() <= server) failures_.resize(server + 1);
  failures_[server] = std::move(why);
}

void Race::end(const LinkPtr& kept) {
  over_ = true;
  for (const auto& each : dialling_) {
    const LinkPtr link = each.lock();
    if (link != nullptr && link != kept) link->reset();
  }
  ready_.clear();
  changed_->set();
  start_next_->set();
}

awaitable<void> Race::start_attempts(RacePtr race) {
  while (!race->over_) {
    runtime::Alarm alarm;
    if (race->started_ < race->targets_.size()) {
      const Target target = race->targets_[race->started_];
      ++race->started_;
      ++race->running_;
      runtime::spawn(race->station_->executor, attempt(race, target));
      const Patience::Milliseconds wait =
          race->station_->patience.between_starts(race->targets_.size());
      const runtime::Deadline next = race->station_->clock->after(wait);
      alarm = race->station_->clock->wake_at(next, race->start_next_);
    } else if (race->all_have_ended()) {
      break;
    }
    co_await race->start_next_->wait();
  }
  race->changed_->set();
}

// Ends with a candidate, more targets, or a failure.
awaitable<void> Race::attempt(RacePtr race, Target target) {
  bool found = false;
  if (!target.endpoint.has_value()) {
    co_await find_addresses(race, target.server);
  } else {
    Result<LinkPtr> link = co_await dial(race, target);
    found = link.has_value() && !race->over_;
    if (found)
      race->ready_.push_back(std::make_shared<Candidate>(Candidate{*link, target.server, {}}));
    if (!link && !race->over_) race->failed(target.server, link.error());
  }
  --race->running_;
  race->changed_->set();
  // Whoever found nothing lets the next start at once.
  if (!found || race->all_have_ended()) race->start_next_->set();
}

awaitable<Result<LinkPtr>> Race::dial(RacePtr race, Target target) {
  Result<LinkPtr> link = begin_dialling(*race->station_, target);
  if (!link) co_return link;
  const LinkPtr dialled = *link;
  race->dialling_.push_back(dialled);
  const std::size_t server = target.server;
  const StationPtr station = race->station_;
  Result<void> finished = co_await finish_dialling(station, dialled, server);
  if (!finished) co_return std::move(finished).error();
  co_return link;
}

awaitable<void> Race::find_addresses(RacePtr race, std::size_t server) {
  Ensemble& ensemble = *race->station_->ensemble;
  if (ensemble.is_looking_up(server)) {
    const runtime::EventPtr found = race->station_->clock->make_event();
    ensemble.on_looked_up(server, found);
    const runtime::Deadline late = race->station_->clock->after(race->station_->patience.dial);
    const runtime::Alarm alarm = race->station_->clock->wake_at(late, found);
    co_await found->wait();
  }
  if (race->over_) co_return;
  const Result<std::vector<Endpoint>> endpoints = ensemble.endpoints(server);
  if (endpoints) {
    for (const Endpoint& each : *endpoints) race->targets_.push_back({server, each});
  } else {
    race->failed(server, make_error(Errc::unavailable,
                                    ensemble.name(server) + " " + endpoints.error().message));
  }
}

awaitable<void> Race::read_answer(RacePtr race, CandidatePtr candidate) {
  const LinkPtr link = candidate->link;
  std::array<char, 4096> room;
  const std::string request = race->request_;
  // Whoever refuses us in TLS says why and hangs up, so the reason is there although writing fails.
  const Flow written = co_await write_all(link, request);
  static_cast<void>(written);
  Flow flow = Flow::wants_read;
  Transfer got;
  while (flow != Flow::failed && flow != Flow::ended) {
    got = link->read_some(room);
    flow = got.flow;
    if (flow == Flow::moved) break;
    if (flow == Flow::wants_read || flow == Flow::wants_write) co_await until_ready(link, flow);
  }
  if (flow == Flow::moved) {
    candidate->answer.emplace(std::string(room.data(), got.bytes));
    const std::optional<Error> wrong = not_zookeeper(link->name(), candidate->answer->value());
    if (wrong.has_value()) candidate->answer.emplace(*wrong);
  } else if (link->failure().has_value() && link->failure()->errc == Errc::unauthorized) {
    candidate->answer.emplace(*link->failure());
  } else {
    candidate->answer.emplace(make_error(
        Errc::unavailable, link->name() + " hung up on the session: it is not serving now"));
  }
  race->changed_->set();
}

// Asks one server for the client's session. A silent one is given up as soon as another stands
// ready; a slow one that is the only one gets more time.
awaitable<Result<std::string>> Race::ask(RacePtr race, CandidatePtr candidate) {
  const Patience& patience = race->station_->patience;
  runtime::Clock& clock = *race->station_->clock;
  runtime::spawn(race->station_->executor, read_answer(race, candidate));
  const runtime::Deadline soon = clock.after(patience.asked);
  const runtime::Deadline late = clock.after(patience.last_asked);
  const runtime::Alarm soon_alarm = clock.wake_at(soon, race->changed_);
  const runtime::Alarm late_alarm = clock.wake_at(late, race->changed_);
  while (!candidate->answer.has_value()) {
    const runtime::SteadyTime now = clock.now();
    if (race->given_up_ || now >= late.at || (now >= soon.at && !race->ready_.empty())) {
      co_return make_error(Errc::unavailable,
                           candidate->link->name() + " takes connections but does not answer");
    }
    co_await race->changed_->wait();
  }
  co_return *std::move(candidate->answer);
}

// The sentence of a search without success: what each server did.
Error Race::failure() const {
  std::string text = "no ZooKeeper server can be used";
  const Error* reason = bad_files_.has_value() ? &*bad_files_ : nullptr;
  std::size_t others = 0;
  std::size_t told = 0;
  for (const std::optional<Error>& each : failures_) {
    if (!each.has_value()) continue;
    if (reason == nullptr && each->errc == Errc::unauthorized) reason = &*each;
    if (told == 5) {
      ++others;
      continue;
    }
    text += (told == 0 ? ": " : "; ") + each->message;
    ++told;
  }
  if (others > 0) text += "; and " + std::to_string(others) + " more servers";
  if (bad_files_.has_value()) text += "; besides, " + bad_files_->message;
  if (reason == nullptr) return make_error(Errc::unavailable, text);
  return make_error(reason->errc, reason->code, text);
}

}  // namespace locker::backends::zookeeper::relay
