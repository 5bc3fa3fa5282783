#include "core/owner_json.h"

#include "tests/support/test.h"

using locker::OwnerInfo;
using locker::core::owner_from_json;
using locker::core::owner_to_json;

namespace {

OwnerInfo example() {
  OwnerInfo owner;
  owner.owner = "0123456789abcdef0123456789abcdef";
  owner.host = "node-7";
  owner.pid = 4242;
  owner.pid_start = 1234567890123;
  owner.boot = "c3b1";
  owner.user = "etl";
  owner.application = "ночь \"7\"";
  owner.command = "spark-submit";
  owner.reason = "a\n{\"level\":\"grant\"}";
  return owner;
}

bool equal(const OwnerInfo& left, const OwnerInfo& right) {
  return left.owner == right.owner && left.host == right.host && left.pid == right.pid &&
         left.pid_start == right.pid_start && left.boot == right.boot && left.user == right.user &&
         left.application == right.application && left.command == right.command &&
         left.reason == right.reason;
}

}  // namespace

TEST_CASE("an owner's JSON is one compact line that is read back") {
  const std::string json = owner_to_json(example());
  CHECK(json.find('\n') == std::string::npos);
  const auto owner = owner_from_json(json);
  REQUIRE(owner);
  CHECK(equal(*owner, example()));
  CHECK(owner_to_json(*owner) == json);
  CHECK(owner_to_json({}) == "{}");
  CHECK(equal(*owner_from_json("{}"), OwnerInfo()));
}

TEST_CASE("members of later versions are ignored") {
  const auto owner = owner_from_json(R"({"host":"h","colour":"red","more":[{"pid":"x"}]})");
  REQUIRE(owner);
  CHECK(owner->host == "h");
}

TEST_CASE("what is no owner's JSON is an error") {
  const std::string deep = std::string(20'000, '[');
  const std::string long_text = R"({"host":")" + std::string(513, 'h') + "\"}";
  const std::string long_json = R"({"x":")" + std::string(40'000, 'h') + "\"}";
  for (const std::string& bad :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"), std::string("7"),
        std::string("{}x"), std::string(R"({"host":7})"), std::string(R"({"host":null})"),
        std::string(R"({"pid":"7"})"), std::string(R"({"pid":-1})"), std::string(R"({"pid":1.5})"),
        std::string(R"({"pid":true})"), std::string(R"({"pid":9223372036854775808})"),
        std::string(R"({"pid":1e400})"), std::string("{\"host\":\"\xff\"}"), deep, long_text,
        long_json}) {
    const auto owner = owner_from_json(bad);
    CAPTURE(bad.substr(0, 40));
    REQUIRE_FALSE(owner);
    CHECK(owner.error().errc == locker::Errc::invalid);
    CHECK(owner.error().code == "bad_json");
  }
}

TEST_CASE("whatever an owner says of itself, its JSON is read back") {
  OwnerInfo owner = example();
  owner.host = "\xff\xfe";
  owner.command = std::string(2000, '\x01');
  owner.reason = std::string(511, 'x') + "日本";
  owner.application = std::string(2000, '\x01');
  owner.user = owner.boot = owner.owner = owner.application;
  owner.pid = -7;
  const std::string json = owner_to_json(owner);
  CHECK(json.size() <= locker::core::owner_json_limit_bytes);
  const auto read = owner_from_json(json);
  REQUIRE(read);
  CHECK(read->host == "\uFFFD\uFFFD");
  CHECK(read->reason == std::string(511, 'x'));
  CHECK(read->command.size() == 512);
  CHECK(read->pid == 0);
}
