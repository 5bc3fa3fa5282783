#include "backends/zookeeper/node_text.h"

#include "tests/support/test.h"

namespace {

using namespace locker;
using namespace locker::backends::zookeeper;

core::Place place(const std::string& path, LockMode mode) {
  return {core::Resource::from_path(path), mode};
}

TEST_CASE("a lock's data come back as they were written") {
  LockText text;
  text.proof = "0123";
  text.since_ms = 1700000000123;
  text.reason = "nightly \"load\"\n";
  text.members = {place("/ods/t/dt=1", LockMode::exclusive), place("/ods/u", LockMode::shared)};
  text.lowered = true;
  text.owner = "fedc";
  const LockText read = lock_text(to_json(text));
  CHECK(read.proof == text.proof);
  CHECK(read.since_ms == text.since_ms);
  CHECK(read.reason == text.reason);
  CHECK(read.members == text.members);
  CHECK(read.lowered);
  CHECK(read.owner == text.owner);
}

TEST_CASE("whatever else a lock's node holds says nothing") {
  for (const std::string json :
       {"", "null", "[]", "{", "{\"proof\":1}", "{\"members\":{}}", "{\"members\":[1,[\"x\"]]}",
        "{\"since_ms\":\"now\"}", "{\"lowered\":\"yes\"}", "127.0.0.1", "\xff\xfe"}) {
    INFO(json);
    const LockText read = lock_text(json);
    CHECK(read.proof.empty());
    CHECK(read.since_ms == 0);
    CHECK(read.members.empty());
    CHECK_FALSE(read.lowered);
  }
}

TEST_CASE("a session's data tell its process") {
  SessionText text;
  text.process.host = "edge-1";
  text.process.pid = 42;
  text.process.user = "etl";
  text.opened_ms = 5;
  text.beat_ms = 6;
  text.timeout_ms = 30000;
  const SessionText read = session_text(to_json(text));
  CHECK(read.process.host == "edge-1");
  CHECK(read.process.pid == 42);
  CHECK(read.process.user == "etl");
  CHECK(read.opened_ms == 5);
  CHECK(read.beat_ms == 6);
  CHECK(read.timeout_ms == 30000);
  CHECK(session_text("{\"opened_ms\":5}").timeout_ms == 0);
  CHECK(session_text("{\"process\":7}").process.host.empty());
}

TEST_CASE("a table's order comes back, and one that can't be read is an error") {
  TableText text;
  text.columns = {"dt", "city"};
  text.set_by = "root@edge-1";
  text.set_at_ms = 7;
  text.registered = true;
  text.earlier_depths = {1};
  const Result<TableText> read = table_text(to_json(text));
  REQUIRE(read.has_value());
  CHECK(read->columns == text.columns);
  CHECK(read->set_by == text.set_by);
  CHECK(read->registered);
  CHECK(read->earlier_depths == text.earlier_depths);
  REQUIRE(table_text("").has_value());
  CHECK(table_text("")->columns.empty());
  for (const std::string json :
       {"dt,city", "[]", "{}", "{\"columns\":\"dt\"}", "{\"columns\":[1]}"}) {
    INFO(json);
    const Result<TableText> bad = table_text(json);
    REQUIRE_FALSE(bad.has_value());
    CHECK(bad.error().code == "bad_json");
  }
}

TEST_CASE("the version must be there to be understood") {
  const Result<FormatText> read = format_text(to_json(FormatText{3, 2}));
  REQUIRE(read.has_value());
  CHECK(read->version == 3);
  CHECK(read->least_reader == 2);
  CHECK_FALSE(format_text("").has_value());
  CHECK_FALSE(format_text("{\"version\":0,\"least_reader\":0}").has_value());
}

TEST_CASE("records and breaks keep their texts") {
  const Result<RecordText> record = record_text(to_json(RecordText{"once:x", "at noon"}));
  REQUIRE(record.has_value());
  CHECK(record->key == "once:x");
  CHECK(record->value == "at noon");
  const BrokenText broken = broken_text(to_json(BrokenText{"it hangs", "ops@edge-1", 9, 4000}));
  CHECK(broken.reason == "it hangs");
  CHECK(broken.by == "ops@edge-1");
  CHECK(broken.at_ms == 9);
  CHECK(broken.timeout_ms == 4000);
}

TEST_CASE("a prepared partition tells until when it is kept, and no other directory does") {
  CHECK(prepared_until(prepared_to_json(1700000000000)) == 1700000000000);
  for (const char* other : {"", "{}", "7", "[\"until_ms\"]", "{\"columns\":[\"dt\"]}"}) {
    CHECK_FALSE(prepared_until(other).has_value());
  }
}

}  // namespace
