#include <locker/partition_spec.h>

#include "core/utf8.h"
#include "tests/support/test.h"

using locker::PartitionSpec;

namespace {

locker::Result<PartitionSpec> words(const std::vector<std::string>& words) {
  return PartitionSpec::parse_words(words);
}

// The column of the caret in an error's last line, from 0.
std::size_t caret_column(const locker::Error& error) {
  const std::string& message = error.message;
  const std::size_t line = message.rfind('\n') + 1;
  REQUIRE(message.ends_with('^'));
  return message.size() - 1 - line - 2;
}

}  // namespace

TEST_CASE("the slash form is escaped, the words form is raw") {
  const PartitionSpec spec = PartitionSpec("ods", "t").with("dt", "a/b").with("city", "x=y%");
  CHECK(*PartitionSpec::parse("ods.t/dt=a%2Fb/city=x%3Dy%25") == spec);
  CHECK(*PartitionSpec::parse("ods.t/dt=a%2Fb/city=x=y%25") == spec);
  CHECK(*words({"ods.t", "dt=a/b", "city=x=y%"}) == spec);
  CHECK(*words({"ods.t", "dt=a%2Fb"}) == PartitionSpec("ods", "t").with("dt", "a%2Fb"));
  CHECK(*words({"ods"}) == PartitionSpec("ods"));
  CHECK(*words({"ods.t", "dt="}) == PartitionSpec("ods", "t").with("dt", ""));
}

TEST_CASE("database and table are parted at the first dot") {
  CHECK(*PartitionSpec::parse("a.b.c") == PartitionSpec("a", "b.c"));
  CHECK(*words({"a.b.c"}) == PartitionSpec("a", "b.c"));
  CHECK(*PartitionSpec::parse("a%2Eb.c") == PartitionSpec("a.b", "c"));
  CHECK(PartitionSpec("a.b", "c.d").to_string() == "a%2Eb.c.d");
  CHECK(*PartitionSpec::parse("a.b.") == PartitionSpec("a", "b."));
}

TEST_CASE("L21: a trailing slash of a word changes nothing, since shells complete with it") {
  CHECK(*words({"ods.t", "dt=1/"}) == PartitionSpec("ods", "t").with("dt", "1"));
  CHECK(*words({"ods.t/", "dt=1/", "hr=2"}) ==
        PartitionSpec("ods", "t").with("dt", "1").with("hr", "2"));
  CHECK(*words({"ods.t", "dt=a/b/"}) == PartitionSpec("ods", "t").with("dt", "a/b"));
  // Such a value is written in the slash form.
  CHECK(PartitionSpec::parse("ods.t/dt=a%2F")->keys().front().value == "a/");
}

TEST_CASE("a blank at the end of a name is written so that it is seen") {
  const PartitionSpec spec = PartitionSpec(" a", "b ").with(" ", " c ");
  CHECK(spec.to_string() == "%20a.b%20/%20= c ");
  CHECK(*PartitionSpec::parse(spec.to_string()) == spec);
  CHECK(spec.path() == "/ a/b / = c ");
}

TEST_CASE("a bad spec is shown with a caret and what to do") {
  const auto parsed = PartitionSpec::parse("ods.t/dt");
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().message ==
        "A partition is named by column=value, and here is no =; write column=value.\n"
        "  ods.t/dt\n"
        "          ^");
  CHECK(parsed.error().code == "bad_spec");
}

TEST_CASE("B01: what is wrong with a slash form is pointed at") {
  struct Expected {
    std::string text;
    std::size_t column;
    const char* word;
    const char* code = "bad_spec";
  };
  const std::vector<Expected> rows = {
      {"", 0, "database's name is empty"},
      {"/", 0, "begins with a slash"},
      {"/ods/t/dt=1", 0, "begins with a slash"},
      {".t", 0, "database's name is empty"},
      {"ods.", 4, "table's name is empty"},
      {"ods./dt=1", 4, "table's name is empty"},
      {"ods/dt=1", 4, "without its table"},
      {"ods.t=1", 5, "where the table belongs"},
      {"dt=1", 2, "where the table belongs"},
      {"ods.t//dt=1", 6, "nothing here"},
      {"ods.t/dt=1//", 11, "nothing here"},
      {"ods.t/=1", 6, "column's name is empty"},
      {"ods.t/dt=1/hr", 13, "no ="},
      {"ods.t/dt=50%", 11, "%25"},
      {"ods.t/dt=日本%x", 11, "%25"},
      {"ods.t/dt=1\r", 10, "control character"},
      {"ods.t/dt=a\tb", 10, "control character"},
      {std::string("ods.t/dt=\0", 10), 9, "control character"},
      {"ods.t/dt=\xff", 9, "UTF-8"},
      {"ods.t/dt=%FF", 6, "UTF-8"},
      {"ods.t/dt=%ED%A0%80", 6, "UTF-8"},
      {" ods.t", 0, "blank"},
      {"ods.t /dt=1", 5, "blank"},
      {"ods.t/dt =1", 8, "blank"},
      {"ods.t/dt=1/DT=2", 11, "given twice", "duplicate_key"},
      {"ods.t/dt=" + std::string(300, 'a'), 6, "at most 255", "key_too_long"},
  };
  for (const Expected& row : rows) {
    CAPTURE(row.text);
    const auto parsed = PartitionSpec::parse(row.text);
    REQUIRE_FALSE(parsed);
    CAPTURE(parsed.error().message);
    CHECK(parsed.error().errc == locker::Errc::invalid);
    CHECK(parsed.error().code == row.code);
    CHECK(parsed.error().message.find(row.word) != std::string::npos);
    CHECK(caret_column(parsed.error()) == row.column);
    CHECK(locker::core::find_bad_utf8(parsed.error().message) == std::string::npos);
  }
}

TEST_CASE("B01: what is wrong with words is pointed at") {
  struct Expected {
    std::vector<std::string> words;
    std::size_t column;
    const char* word;
  };
  const std::vector<Expected> rows = {
      {{}, 0, "no resource"},
      {{""}, 0, "database's name is empty"},
      {{"", "dt=1"}, 0, "database's name is empty"},
      {{"ods.t/dt=1"}, 5, "slash in the table's name"},
      {{"ods.t/dt=1", "hr=2"}, 5, "slash in the table's name"},
      {{"/ods.t"}, 0, "slash in the table's name"},
      {{"dt=1"}, 2, "where the table belongs"},
      {{"ods", "dt=1"}, 4, "without its table"},
      {{"ods.t", "dt"}, 8, "no ="},
      {{"ods.t", "=1"}, 6, "column's name is empty"},
      {{"ods.t", "dt=1\r"}, 10, "control character"},
      {{"ods.t", std::string("dt=\0", 4)}, 9, "control character"},
      {{"ods.t", "dt=\xff"}, 9, "UTF-8"},
      {{"ods.t", "dt=1", "dt=2"}, 11, "given twice"},
      {{"ods.t", ""}, 6, "nothing here"},
  };
  for (const Expected& row : rows) {
    CAPTURE(row.words);
    const auto parsed = words(row.words);
    REQUIRE_FALSE(parsed);
    CAPTURE(parsed.error().message);
    CHECK(parsed.error().message.find(row.word) != std::string::npos);
    CHECK(caret_column(parsed.error()) == row.column);
  }
}

TEST_CASE("a text of many columns ends at the limit") {
  std::string text = "ods.t";
  for (int column = 0; column < 100'000; ++column) text += "/c" + std::to_string(column) + "=1";
  const auto parsed = PartitionSpec::parse(text);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().message.find("at most 62") != std::string::npos);
  CHECK(parsed.error().message.size() < 1000);
}
