#include <locker/partition_spec.h>

#include <set>

#include "core/path_codec.h"
#include "tests/support/test.h"

using locker::PartitionSpec;

namespace {

// The values that users of other systems were bitten by.
const std::vector<std::string> nasty_values = {"a/b",
                                               "a%2Fb",
                                               "%2F",
                                               "50%",
                                               "x y",
                                               "k=v=w",
                                               "2024-01-01 00:00:00",
                                               "日本",
                                               "e\u0301",
                                               "\u00e9",
                                               "__HIVE_DEFAULT_PARTITION__",
                                               ".",
                                               "..",
                                               "a//b",
                                               "/",
                                               "\n",
                                               "\x7f",
                                               "\u0085",
                                               std::string(1, '\0'),
                                               "zookeeper",
                                               "A",
                                               "a",
                                               "1",
                                               "01"};

PartitionSpec day(std::string_view value) {
  return PartitionSpec("ods", "user_info").with("dt", value);
}

}  // namespace

TEST_CASE("a spec names a database, a table or a partition") {
  const PartitionSpec leaf =
      PartitionSpec("ods", "user_info").with("dt", "20230501").with("city", "beijing");
  CHECK(leaf.to_string() == "ods.user_info/dt=20230501/city=beijing");
  CHECK(leaf.path() == "/ods/user_info/dt=20230501/city=beijing");
  CHECK(leaf.check());
  CHECK(PartitionSpec("ods").to_string() == "ods");
  CHECK(PartitionSpec("ods").path() == "/ods");
  CHECK(PartitionSpec("ods", "t").to_string() == "ods.t");
  CHECK(PartitionSpec("ods", "t").keys().empty());
}

TEST_CASE("a resource covers itself and what is below it") {
  const PartitionSpec database("ods");
  const PartitionSpec table("ods", "t");
  const PartitionSpec prefix = PartitionSpec("ods", "t").with("dt", "1");
  const PartitionSpec leaf = PartitionSpec("ods", "t").with("dt", "1").with("hr", "2");
  CHECK(database.covers(database));
  CHECK(database.covers(leaf));
  CHECK(table.covers(leaf));
  CHECK(prefix.covers(leaf));
  CHECK_FALSE(leaf.covers(prefix));
  CHECK_FALSE(table.covers(database));
  CHECK_FALSE(table.covers(PartitionSpec("ods", "t_1")));
  CHECK_FALSE(prefix.covers(PartitionSpec("ods", "t").with("dt", "10")));
  CHECK_FALSE(PartitionSpec("od").covers(database));
}

TEST_CASE("L20 B01: every value is lockable under a path of its own and listed as it is") {
  std::set<std::string> paths;
  for (const std::string& value : nasty_values) {
    CAPTURE(value);
    const PartitionSpec spec = day(value);
    REQUIRE(spec.check());
    CHECK(paths.insert(spec.path()).second);
    const std::string component = spec.path().substr(std::string("/ods/user_info/").size());
    CHECK(component.find('/') == std::string::npos);
    const auto read = PartitionSpec::parse(spec.to_string());
    REQUIRE(read);
    CHECK(*read == spec);
    CHECK(read->keys().front().value == value);
  }
}

TEST_CASE("L20 B01: the empty value is Hive's default partition") {
  CHECK(day("") == day("__HIVE_DEFAULT_PARTITION__"));
  CHECK(day("").keys().front().value == "__HIVE_DEFAULT_PARTITION__");
  CHECK(*PartitionSpec::parse("ods.user_info/dt=") == day(""));
}

TEST_CASE("L20 B01: the same names are possible for databases, tables and columns") {
  std::set<std::string> paths;
  for (const std::string& name : nasty_values) {
    if (name == "A" || name == "__HIVE_DEFAULT_PARTITION__") continue;
    CAPTURE(name);
    for (const PartitionSpec& spec : {PartitionSpec(name, "t"), PartitionSpec("ods", name),
                                      PartitionSpec("ods", "t").with(name, "1")}) {
      REQUIRE(spec.check());
      CHECK(paths.insert(spec.path()).second);
      CHECK(spec.path().find("/.") == std::string::npos);
      CHECK(spec.path().find("//") == std::string::npos);
      const auto read = PartitionSpec::parse(spec.to_string());
      REQUIRE(read);
      CHECK(*read == spec);
    }
  }
}

TEST_CASE("L20 B01: what has no spelling is refused") {
  struct Expected {
    PartitionSpec spec;
    const char* code;
  };
  PartitionSpec deep("ods", "t");
  for (int level = 0; level < 63; ++level) deep.with("c" + std::to_string(level), "1");
  const Expected rows[] = {
      {PartitionSpec(), "bad_spec"},
      {PartitionSpec("", "t"), "bad_spec"},
      {PartitionSpec("ods").with("dt", "1"), "bad_spec"},
      {PartitionSpec("ods", "t").with("", "1"), "bad_spec"},
      {day("\xff"), "bad_spec"},
      {day("\xed\xa0\x80"), "bad_spec"},
      {PartitionSpec("\xc3", "t"), "bad_spec"},
      {PartitionSpec("ods", "\xc3"), "bad_spec"},
      {PartitionSpec("ods", "t").with("\xc3", "1"), "bad_spec"},
      {day(std::string(300, 'a')), "key_too_long"},
      {PartitionSpec(std::string(256, 'a')), "key_too_long"},
      {PartitionSpec("ods", std::string(86, '/')), "key_too_long"},
      {day("1").with("dt", "2"), "duplicate_key"},
      {day("1").with("DT", "1"), "duplicate_key"},
      {deep, "bad_spec"},
  };
  for (const Expected& row : rows) {
    const auto checked = row.spec.check();
    REQUIRE_FALSE(checked);
    CHECK(checked.error().errc == locker::Errc::invalid);
    CHECK(checked.error().code == row.code);
    CHECK_FALSE(checked.error().message.empty());
    CHECK(checked.error().message.find('\n') == std::string::npos);
  }
  // At the limits all is well: 3 bytes of "dt=", and 64 levels.
  CHECK(day(std::string(252, 'a')).check());
  CHECK(PartitionSpec("ods", std::string(85, '/')).check());
  PartitionSpec deepest("ods", "t");
  for (int level = 0; level < 62; ++level) deepest.with("c" + std::to_string(level), "1");
  CHECK(deepest.check());
}

TEST_CASE("L21 B02: two spellings of one partition meet, two partitions don't") {
  const auto same = [](const char* left, const char* right) {
    return PartitionSpec::parse(left)->path() == PartitionSpec::parse(right)->path();
  };
  CHECK_FALSE(day("a/b").path() == day("a%2Fb").path());
  CHECK(same("DB.T", "db.t"));
  CHECK(same("db.t/DT=1", "db.t/dt=1"));
  CHECK_FALSE(same("db.t/dt=A", "db.t/dt=a"));
  CHECK(same("db.t/dt=1/", "db.t/dt=1"));
  CHECK(same("db.t/", "db.t"));
  CHECK(same("db/", "db"));
  CHECK_FALSE(same("db.t/dt=1", "db.t/dt=01"));
  CHECK_FALSE(PartitionSpec::parse("db.t/dt=1")->covers(*PartitionSpec::parse("db.t/dt=10")));
  CHECK_FALSE(PartitionSpec::parse("db.t")->covers(*PartitionSpec::parse("db.t_1")));
  CHECK(same("db.t/dt=a%2fb", "db.t/dt=a%2Fb"));
  CHECK(same("db.t/dt=%41", "db.t/dt=A"));
  CHECK(same("db.t/dt=00:00", "db.t/dt=00%3A00"));
}
