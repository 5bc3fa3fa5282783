#include <memory>

#include "lockd/protocol/json.h"
#include "tests/support/test.h"
#include "tests/unit/random_spec.h"

using namespace locker;
using namespace locker::lockd;
using namespace std::chrono;

namespace {

const system_clock::time_point moment = sys_days(year(2023) / 5 / 1) + hours(8) + milliseconds(7);
const PartitionSpec partition = PartitionSpec("ods", "t").with("dt", "a/b").with("city", "日本");

// What is written, read and written again is the same, letter by letter: nothing was left out.
template <typename T>
T there_and_back(const T& message, Result<T> (*read)(std::string_view)) {
  const std::string text = to_json(message);
  INFO(text);
  Result<T> back = read(text);
  REQUIRE(back.has_value());
  CHECK(to_json(*back) == text);
  return *std::move(back);
}

OwnerInfo somebody() {
  OwnerInfo owner;
  owner.owner = "0123456789abcdef0123456789abcdef";
  owner.host = "worker-7";
  owner.pid = 4711;
  owner.pid_start = 123456789;
  owner.boot = "b007";
  owner.user = "etl";
  owner.application = "orders \"daily\"\n";
  owner.command = "spark-submit";
  owner.reason = "day 1";
  return owner;
}

Contender waiting_contender() {
  Contender contender;
  contender.request = "feed";
  contender.owner = somebody();
  contender.session = "beef";
  contender.resource = partition;
  contender.mode = LockMode::shared;
  contender.since = moment;
  contender.token = {17, 3};
  contender.blocked_by = {"a", "b"};
  return contender;
}

}  // namespace

TEST_CASE("sessions are told whole") {
  OpenSession asked;
  asked.kind = SessionKind::process;
  asked.lease = milliseconds(4500);
  asked.client = somebody();
  asked.pid = 99;
  const OpenSession read = there_and_back(asked, read_open_session);
  CHECK(read.kind == SessionKind::process);
  CHECK(read.lease == milliseconds(4500));
  CHECK(read.client.application == asked.client.application);
  CHECK(read.client.pid_start == asked.client.pid_start);
  CHECK(read.pid == 99);

  OpenedSession opened;
  opened.id = "5e55";
  opened.kind = SessionKind::connection;
  opened.lease = milliseconds(30000);
  opened.owner = "id:secret";
  opened.stopping_time = milliseconds(3000);
  const OpenedSession back = there_and_back(opened, read_opened_session);
  CHECK(back.owner == "id:secret");
  CHECK(back.stopping_time == milliseconds(3000));
}

TEST_CASE("renewals carry news of losses and of waits") {
  Renew renew;
  renew.wait = milliseconds(5000);
  renew.seen = 18446744073709551615ULL;
  CHECK(there_and_back(renew, read_renew).seen == renew.seen);

  Renewed renewed;
  renewed.lease = milliseconds(30000);
  renewed.valid_for = milliseconds(27000);
  News lost;
  lost.sequence = 7;
  lost.kind = News::Kind::lost;
  lost.request = "mine";
  lost.lock = "10c4";
  lost.error = make_error(Errc::lost, "broken", "Somebody broke it.");
  News waiting;
  waiting.sequence = 8;
  waiting.request = "other";
  waiting.waiting.place = 2;
  waiting.waiting.holders = {waiting_contender()};
  renewed.news = {lost, waiting};
  const Renewed back = there_and_back(renewed, read_renewed);
  REQUIRE(back.news.size() == 2);
  CHECK(back.news[0].error.errc == Errc::lost);
  CHECK(back.news[0].error.code == "broken");
  CHECK(back.news[1].kind == News::Kind::waiting);
  CHECK(back.news[1].waiting.place == 2);
  CHECK(back.news[1].waiting.holders.at(0).resource == partition);
}

TEST_CASE("a lock is asked for and told whole") {
  AskLock ask;
  ask.session = "5e55";
  ask.request = "nightly-1";
  ask.members = {{partition, LockMode::exclusive}, {PartitionSpec("ods"), LockMode::shared}};
  ask.timeout = wait_for_ever;
  ask.reason = "the day's load";
  ask.owner = "id:secret";
  ask.tell_waiting = true;
  const AskLock asked = there_and_back(ask, read_ask_lock);
  CHECK(asked.timeout == wait_for_ever);
  REQUIRE(asked.members.size() == 2);
  CHECK(asked.members[0].resource == partition);
  CHECK(asked.members[1].mode == LockMode::shared);
  CHECK(asked.tell_waiting);

  HeldLock held;
  held.id = "10c4";
  held.request = "nightly-1";
  held.entry = "feed";
  held.session = "5e55";
  held.owner = "id";
  held.members = {{partition, LockMode::shared, {5, 1}}};
  held.token = {5, 1};
  held.escalated = true;
  held.state = LockState::suspended;
  held.valid_for = milliseconds(1234);
  held.granted_at = moment;
  const HeldLock back = there_and_back(held, read_held_lock);
  CHECK(back.members.at(0).token == FencingToken{5, 1});
  CHECK(back.members.at(0).mode == LockMode::shared);
  CHECK(back.state == LockState::suspended);
  CHECK(back.escalated);
  CHECK(back.granted_at == moment);
}

TEST_CASE("the verbs of a lock are told whole") {
  const FencingToken token{1ULL << 63, 5};
  CHECK(there_and_back(WithToken{token}, read_with_token).token == token);
  CHECK(there_and_back(GiveLock{token, "id:secret"}, read_give_lock).owner == "id:secret");
  const RecordUnderLock record =
      there_and_back(RecordUnderLock{token, "key", "line\n\"two\"\u20ac"}, read_record_under_lock);
  CHECK(record.value == "line\n\"two\"\u20ac");
  CHECK(there_and_back(ReleaseByName{"5e55", "", partition}, read_release_by_name).resource ==
        partition);
  CHECK(there_and_back(ReleasedLock{"10c4"}, read_released_lock).id == "10c4");
  CHECK(there_and_back(BreakLock{"it hangs"}, read_break_lock).reason == "it hangs");
  CHECK(there_and_back(CheckToken{partition, token}, read_check_token).token == token);
  Look look;
  look.session = "5e55";
  look.members = {{partition, LockMode::shared}};
  look.timeout = milliseconds(10);
  CHECK(there_and_back(look, read_look).timeout == milliseconds(10));
}

TEST_CASE("L39: listings are told whole") {
  Contenders contenders{{waiting_contender()}, "after-this"};
  const Contenders back = there_and_back(contenders, read_contenders);
  CHECK(back.next == "after-this");
  const Contender& contender = back.contenders.at(0);
  CHECK(contender.request == "feed");
  CHECK(contender.owner.command == "spark-submit");
  CHECK(contender.since == moment);
  CHECK(contender.token == FencingToken{17, 3});
  CHECK_FALSE(contender.holds);
  CHECK(contender.blocked_by == std::vector<std::string>{"a", "b"});

  SessionInfo session;
  session.id = "beef";
  session.process = somebody();
  session.alive = true;
  session.liveness = "a lease";
  session.opened = moment;
  session.heartbeat_age = milliseconds(12);
  session.locks = 3;
  session.broken = true;
  const auto sessions = read_sessions(sessions_json({session}));
  REQUIRE(sessions.has_value());
  CHECK(sessions->at(0).heartbeat_age == milliseconds(12));
  CHECK_FALSE(sessions->at(0).timeout.has_value());
  CHECK(sessions->at(0).broken);
  CHECK(sessions_json(*sessions) == sessions_json({session}));

  const auto left = read_left_overs(left_overs_json({{"/a", "an empty directory", moment}}));
  REQUIRE(left.has_value());
  CHECK(left->at(0).what == "an empty directory");
}

TEST_CASE("what belongs to a table or a store is told whole") {
  const TableColumns columns{PartitionSpec("ods", "t"), {"dt", "city"}, "etl@host", moment, true};
  CHECK(there_and_back(columns, read_table_columns).columns == columns.columns);
  const auto tables = read_tables(tables_json({columns}));
  REQUIRE(tables.has_value());
  CHECK(tables->at(0).registered);
  CHECK(there_and_back(RegisterTable{{"dt"}, true}, read_register_table).replace);
  CHECK(there_and_back(Prepare{{partition}, moment}, read_prepare).until == moment);
  CHECK(there_and_back(StoreFacts{"1", "local:/x", {"w"}, {"a"}}, read_store_facts).advice.size() ==
        1);
  CHECK(*read_broken(broken_json(Broken::forced)) == Broken::forced);
  CHECK(*read_broken(broken_json(Broken::let_go)) == Broken::let_go);
  CHECK(*read_made(made_json(3)) == std::optional<int>(3));
  CHECK(*read_made(made_json({})) == std::optional<int>());
  CHECK(*read_removed(removed_json(4)) == 4);
  CHECK(*read_value(value_json("v")) == std::optional<std::string>("v"));
  CHECK(*read_value(value_json({})) == std::optional<std::string>());

  HistoryEntry entry;
  entry.entry = "feed";
  entry.resource = partition;
  entry.owner = somebody();
  entry.token = {9, 9};
  entry.asked_at = moment;
  entry.granted_at = moment + seconds(1);
  entry.end = "released";
  const auto history = read_history(history_json({entry}));
  REQUIRE(history.has_value());
  CHECK(history->at(0).granted_at == entry.granted_at);
  CHECK_FALSE(history->at(0).ended_at.has_value());
  CHECK(history_json(*history) == history_json({entry}));
}

TEST_CASE("L20: hard values of partitions come back as they were") {
  tests::RandomSpecs random(7420);
  int kept = 0;
  for (int round = 0; round < 3000; ++round) {
    const PartitionSpec spec = random.next();
    if (!spec.check()) continue;
    ++kept;
    const auto read = read_check_token(to_json(CheckToken{spec, {}}));
    REQUIRE(read.has_value());
    REQUIRE(read->resource == spec);
  }
  CHECK(kept > 300);
}

TEST_CASE("a resource may be told by its parts, with nothing escaped") {
  const auto read = read_look(
      R"({"members": [{"database": "ods", "table": "t", "partition": {"z": "a/b", "a": "50%"}},
          "ods.u", {"resource": {"database": "ods"}, "mode": "shared"}]})");
  REQUIRE(read.has_value());
  REQUIRE(read->members.size() == 3);
  CHECK(read->members[0].resource == PartitionSpec("ods", "t").with("z", "a/b").with("a", "50%"));
  CHECK(read->members[1].resource == PartitionSpec("ods", "u"));
  CHECK(read->members[2].mode == LockMode::shared);
}

TEST_CASE("bytes that are not UTF-8 do not break a line") {
  OpenSession asked;
  asked.client.user = "caf\xe9";
  const auto read = read_open_session(to_json(asked));
  REQUIRE(read.has_value());
  CHECK(read->client.user == "caf\uFFFD");
}
