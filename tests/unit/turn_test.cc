#include "core/turn.h"

#include <algorithm>

#include "tests/support/test.h"

using namespace locker::core;
using locker::LockMode;

namespace {

constexpr LockMode x = LockMode::exclusive;
constexpr LockMode s = LockMode::shared;

Ticket ticket(std::string owner, std::string request, std::string path, LockMode mode,
              std::uint64_t position) {
  return {request + "@" + path, std::move(request), std::move(owner),
          Place{Resource::from_path(std::move(path)), mode}, position};
}

// The requests in the way, oldest first.
std::vector<std::string> ahead(const Turn& turn) {
  std::vector<std::string> requests;
  for (const Ticket& other : turn.ahead) requests.push_back(other.request);
  return requests;
}

using Requests = std::vector<std::string>;
using Tickets = std::vector<Ticket>;

// Whose turn it is for a single exclusive or shared request at position 10 beside one other.
Turn::Kind beside(const Ticket& other, LockMode mode = x, std::string path = "/o/t/p=1") {
  const Ticket mine = ticket("me", "r", std::move(path), mode, 10);
  return turn_of(Tickets{mine}, Tickets{other, mine}).kind;
}

}  // namespace

TEST_CASE("who stands alone is granted") {
  const Tickets mine = {ticket("me", "r", "/o/t", x, 1)};
  const Turn turn = turn_of(mine, mine);
  CHECK(turn.kind == Turn::Kind::granted);
  CHECK(turn.ahead.empty());
}

TEST_CASE("a request that lost a member is absent, whoever else stands") {
  const Tickets mine = {ticket("me", "r", "/o/t", x, 1), ticket("me", "r", "/o/u", x, 1)};
  CHECK(turn_of(mine, Tickets{mine[0]}).kind == Turn::Kind::absent);
  CHECK(turn_of(mine, Tickets{mine[1]}).kind == Turn::Kind::absent);
  CHECK(turn_of(mine, Tickets{}).kind == Turn::Kind::absent);
  const Tickets others = {mine[0], ticket("you", "q", "/o/u", x, 0)};
  CHECK(turn_of(mine, others).kind == Turn::Kind::absent);
  CHECK(turn_of(mine, others).ahead.empty());
  CHECK(turn_of(Tickets{}, mine).kind == Turn::Kind::absent);
}

TEST_CASE("L14 L22: modes, places and age decide who waits") {
  const auto granted = Turn::Kind::granted;
  const auto waits = Turn::Kind::waits;
  // Older, same place: all but two shared ones.
  CHECK(beside(ticket("you", "q", "/o/t/p=1", x, 5), x) == waits);
  CHECK(beside(ticket("you", "q", "/o/t/p=1", x, 5), s) == waits);
  CHECK(beside(ticket("you", "q", "/o/t/p=1", s, 5), x) == waits);
  CHECK(beside(ticket("you", "q", "/o/t/p=1", s, 5), s) == granted);
  // Younger never stands in the way.
  CHECK(beside(ticket("you", "q", "/o/t/p=1", x, 11), x) == granted);
  // Above and below.
  CHECK(beside(ticket("you", "q", "/o/t", x, 5), x) == waits);
  CHECK(beside(ticket("you", "q", "/o", s, 5), x) == waits);
  CHECK(beside(ticket("you", "q", "/o/t/p=1/q=2", x, 5), s) == waits);
  CHECK(beside(ticket("you", "q", "/o/t/p=1", x, 5), x, "/o/t") == waits);
  // Elsewhere.
  CHECK(beside(ticket("you", "q", "/o/t/p=2", x, 5), x) == granted);
  CHECK(beside(ticket("you", "q", "/o/t/p=10", x, 5), x) == granted);
  CHECK(beside(ticket("you", "q", "/o/u", x, 5), x) == granted);
  // One's own, held or waited for.
  CHECK(beside(ticket("me", "q", "/o/t/p=1", x, 5), x) == granted);
  CHECK(beside(ticket("me", "q", "/o/t", x, 5), s) == granted);
}

TEST_CASE("L14: a later reader does not overtake an earlier waiting writer") {
  const Tickets queue = {ticket("w1", "w1", "/p", x, 1), ticket("r1", "r1", "/p", s, 2),
                         ticket("w2", "w2", "/p", x, 3), ticket("r2", "r2", "/p", s, 4)};
  const auto waits_for = [](const Tickets& standing, std::size_t index) {
    return ahead(turn_of(Tickets{standing[index]}, standing));
  };
  CHECK(waits_for(queue, 0).empty());
  CHECK(waits_for(queue, 1) == Requests{"w1"});
  CHECK(waits_for(queue, 2) == Requests{"w1", "r1"});
  CHECK(waits_for(queue, 3) == Requests{"w1", "w2"});
  // The writer holds until it goes; then the reader before the second writer, then that writer.
  const Tickets after_w1(queue.begin() + 1, queue.end());
  CHECK(waits_for(after_w1, 0).empty());
  CHECK(waits_for(after_w1, 1) == Requests{"r1"});
  CHECK(waits_for(after_w1, 2) == Requests{"w2"});
  const Tickets after_r1(queue.begin() + 2, queue.end());
  CHECK(waits_for(after_r1, 0).empty());
}

TEST_CASE("those ahead come oldest first, whatever the order of the listing") {
  Tickets standing = {ticket("a", "a", "/o/t", s, 3), ticket("b", "b", "/o", s, 1),
                      ticket("c", "c", "/o/t/p=1", s, 7), ticket("me", "r", "/o/t/p=1", x, 9),
                      ticket("d", "d", "/o/t/p=1", s, 12)};
  const Tickets mine = {standing[3]};
  std::ranges::sort(standing, {}, &Ticket::node);
  do {
    const Turn turn = turn_of(mine, standing);
    CHECK(turn.kind == Turn::Kind::waits);
    CHECK(ahead(turn) == Requests{"b", "a", "c"});
  } while (std::ranges::next_permutation(standing, {}, &Ticket::node).found);
}

TEST_CASE("L23: a set waits for what is ahead of any member, once each") {
  const Tickets mine = {ticket("me", "r", "/o/t/p=1", x, 5), ticket("me", "r", "/o/t/p=2", s, 5)};
  Tickets standing = mine;
  standing.push_back(ticket("a", "a", "/o/t/p=2", s, 1));
  CHECK(turn_of(mine, standing).kind == Turn::Kind::granted);
  standing.push_back(ticket("b", "b", "/o/t", s, 2));
  CHECK(ahead(turn_of(mine, standing)) == Requests{"b"});
  standing.push_back(ticket("c", "c", "/o/t", x, 3));
  CHECK(ahead(turn_of(mine, standing)) == Requests{"b", "c"});
  standing.push_back(ticket("d", "d", "/o/t/p=1", x, 6));
  CHECK(ahead(turn_of(mine, standing)) == Requests{"b", "c"});
}

TEST_CASE("members of one request never stand in each other's way") {
  const Tickets mine = {ticket("me", "r", "/o/t", s, 5), ticket("me", "r", "/o/t/p=2", x, 5)};
  CHECK(turn_of(mine, mine).kind == Turn::Kind::granted);
}

TEST_CASE("an upgrade passes its own older ticket and waits for whoever came between") {
  const Ticket shared = ticket("me", "r1", "/o/t", s, 1);
  const Ticket upgrade = ticket("me", "r2", "/o/t", x, 9);
  CHECK(turn_of(Tickets{upgrade}, Tickets{shared, upgrade}).kind == Turn::Kind::granted);
  const Ticket reader = ticket("you", "q", "/o/t", s, 4);
  const Turn blocked = turn_of(Tickets{upgrade}, Tickets{shared, reader, upgrade});
  CHECK(blocked.kind == Turn::Kind::waits);
  CHECK(ahead(blocked) == Requests{"q"});
  // A writer between waits for the asker's shared ticket: the cycle that ends as a deadlock.
  const Ticket writer = ticket("you", "q", "/o/t", x, 4);
  const Tickets standing = {shared, writer, upgrade};
  CHECK(ahead(turn_of(Tickets{writer}, standing)) == Requests{"r1"});
  CHECK(ahead(turn_of(Tickets{upgrade}, standing)) == Requests{"q"});
}

TEST_CASE("a lowered ticket lets readers pass and keeps writers") {
  const Ticket lowered = ticket("you", "q", "/o/t", s, 1);
  CHECK(beside(lowered, s, "/o/t") == Turn::Kind::granted);
  CHECK(beside(lowered, x, "/o/t") == Turn::Kind::waits);
}
