#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "backends/zookeeper/relay/link.h"
#include "backends/zookeeper/relay/station.h"
#include "runtime/event.h"

namespace locker::backends::zookeeper::relay {

// The server that took the client's first packet, and what it answered so far.
struct Winner {
  LinkPtr link;
  std::size_t server = 0;
  std::string answer;
};

// The search for a server that answers, for one connection of the client. Servers are dialled side
// by side, each a moment after the one before; but only one at a time is asked, with the client's
// own first packet, for a session that is asked for at two servers moves between them. Who was
// asked and is silent is given up, for good, before the next is asked.
class Race : public std::enable_shared_from_this<Race> {
 public:
  Race(StationPtr station, std::string request);

  // To be run once. Errors: unavailable, unauthorized, in one sentence that names every server;
  // cancelled, once given up.
  static boost::asio::awaitable<Result<Winner>> run(std::shared_ptr<Race> race);

  // The client is gone: nobody is asked any more.
  void give_up();

 private:
  using RacePtr = std::shared_ptr<Race>;
  // A server that can be asked.
  struct Candidate {
    LinkPtr link;
    std::size_t server = 0;
    std::optional<Result<std::string>> answer;
  };
  using CandidatePtr = std::shared_ptr<Candidate>;

  static boost::asio::awaitable<void> start_attempts(RacePtr race);
  static boost::asio::awaitable<void> attempt(RacePtr race, Target target);
  static boost::asio::awaitable<Result<LinkPtr>> dial(RacePtr race, Target target);
  static boost::asio::awaitable<void> find_addresses(RacePtr race, std::size_t server);
  static boost::asio::awaitable<void> read_answer(RacePtr race, CandidatePtr candidate);
  static boost::asio::awaitable<Result<std::string>> ask(RacePtr race, CandidatePtr candidate);

  bool all_have_ended() const;
  void failed(std::size_t server, Error why);
  // Ends every attempt that is still going on, and every connection but one.
  void end(const LinkPtr& kept);
  Error failure() const;

  StationPtr station_;
  const std::string request_;
  std::vector<Target> targets_;
  std::size_t started_ = 0;
  std::size_t running_ = 0;
  bool over_ = false;
  bool given_up_ = false;
  std::deque<CandidatePtr> ready_;
  std::vector<std::weak_ptr<Link>> dialling_;
  std::vector<std::optional<Error>> failures_;  // of each server the last
  std::optional<Error> bad_files_;
  runtime::EventPtr changed_;     // for run and ask
  runtime::EventPtr start_next_;  // for start_attempts
};
using RacePtr = std::shared_ptr<Race>;

}  // namespace locker::backends::zookeeper::relay
