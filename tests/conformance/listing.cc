#include <unistd.h>

#include <algorithm>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

bool waits_for(const Contender& contender, const std::string& request) {
  return std::ranges::find(contender.blocked_by, request) != contender.blocked_by.end();
}

void queue_in_order(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  Party c(bench);
  LockHandle held = a.hold(resource);
  Ask first = b.queue(resource, 0);
  Ask second = c.queue(resource, 1);
  const std::vector<Contender> queue = bench.listed(resource);
  bench.must(queue.size() == 3, "the holder and both waiters are listed");
  bench.expect(queue[0].holds && queue[0].request == held.id(), "the holder first");
  bench.expect(queue[0].blocked_by.empty(), "it waits for nobody");
  bench.expect(!queue[1].holds && queue[1].owner.owner == b.owner.id(), "then who came first");
  bench.expect(!queue[2].holds && queue[2].owner.owner == c.owner.id(), "then who came second");
  bench.expect(waits_for(queue[1], queue[0].request), "the first waits for the holder");
  bench.expect(waits_for(queue[2], queue[1].request), "the second waits for the first");
  bench.expect(!waits_for(queue[1], queue[2].request), "the first not for the second");
}

void who_it_is(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  LockOptions options;
  options.reason = "backfill of May";
  const auto before = std::chrono::system_clock::now() - std::chrono::seconds(1);
  Ask asked = a.ask(shared(resource), options);
  const LockHandle held = bench.granted(asked, "the lock is granted");
  const std::vector<Contender> holders = bench.holders(resource);
  bench.must(holders.size() == 1, "the holder is listed");
  const Contender& holder = holders[0];
  bench.expect(holder.resource == resource && holder.mode == LockMode::shared, "what it holds");
  bench.expect(holder.owner.pid == getpid() && holder.owner.pid_start > 0, "its process");
  bench.expect(!holder.owner.host.empty() && !holder.owner.user.empty(), "its host and user");
  bench.expect(holder.owner.application == "conformance", "its application");
  bench.expect(!holder.owner.command.empty(), "its command");
  bench.expect(holder.owner.command.find(' ') == std::string::npos, "without arguments");
  bench.expect(holder.owner.reason == "backfill of May", "its reason");
  bench.expect(!holder.session.empty(), "its session");
  bench.expect(holder.since >= before && holder.since <= std::chrono::system_clock::now(),
               "since when");
}

void secrets_stay_secret(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  const LockHandle held = a.hold(resource);
  for (const Contender& contender : bench.listed(resource)) {
    for (const std::string& text : {contender.request, contender.session, contender.owner.owner,
                                    contender.owner.application, contender.owner.command}) {
      bench.expect(text.find(a.owner.secret()) == std::string::npos, "no listing shows a secret");
    }
  }
}

void prefixes(Bench& bench) {
  const PartitionSpec database = bench.database();
  const PartitionSpec table(database.database(), "orders");
  const PartitionSpec other(database.database(), "orders_1");
  const PartitionSpec day = PartitionSpec(table).with("dt", "1");
  const PartitionSpec hour = PartitionSpec(day).with("hr", "7");
  Party a(bench);
  const LockHandle one = a.hold(hour);
  const LockHandle two = a.hold(other);
  const LockHandle three = a.hold(PartitionSpec(table).with("dt", "10"));
  const LockHandle four = a.hold(shared(bench.database()));
  const auto count = [&](const PartitionSpec& prefix, bool above) {
    return bench.value(bench.observer().list(prefix, above), "a prefix is listed").size();
  };
  bench.expect(count(database, false) == 3, "a database lists what stands below it");
  bench.expect(count(table, false) == 2, "a table lists its own partitions");
  bench.expect(count(day, false) == 1, "a prefix lists by whole components");
  bench.expect(count(PartitionSpec(hour).with("mi", "1"), false) == 0, "nothing stands below it");
  bench.expect(count(PartitionSpec(hour).with("mi", "1"), true) == 1, "but something above does");
}

void sessions_are_listed(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party a(bench);
  const LockHandle one = a.hold(PartitionSpec(table).with("dt", "1"));
  const LockHandle two = a.hold(PartitionSpec(table).with("dt", "2"));
  const std::vector<SessionInfo> sessions =
      bench.value(bench.observer().sessions(table), "the sessions of a table are listed");
  bench.must(sessions.size() == 1, "one session stands there");
  bench.expect(sessions[0].id == bench.holders(table).at(0).session, "the holder's");
  bench.expect(sessions[0].alive && !sessions[0].liveness.empty(), "it is alive, and how so");
  bench.expect(sessions[0].locks == 2, "it has two places");
  bench.expect(sessions[0].process.pid == getpid(), "in this process");
}

constexpr Check topic[] = {
    {"a queue is listed in its order, with who waits for whom", "L39", Needs::order,
     queue_in_order},
    {"a holder is listed with its host, process, user and reason", "L39", Needs::shared, who_it_is},
    {"no listing shows an owner's secret", "", Needs::exclusion, secrets_stay_secret},
    {"a listing goes by whole names, below and above", "L39", Needs::hierarchy, prefixes},
    {"sessions are listed with their health", "", Needs::exclusion, sessions_are_listed},
};

}  // namespace

std::span<const Check> listing_checks() {
  return topic;
}

}  // namespace locker::conformance
