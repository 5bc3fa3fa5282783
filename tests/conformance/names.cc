#include <algorithm>
#include <set>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

using namespace std::string_literals;

constexpr std::string_view default_partition = "__HIVE_DEFAULT_PARTITION__";

// Values that are ordinary to Hive and must be lockable, however odd they look in a path.
const std::vector<std::string>& ordinary_values() {
  static const std::vector<std::string> values = {
      "a/b",
      "a%2Fb",
      "%2F",
      "50%",
      "x y",
      "k=v=w",
      "2024-01-01 00:00:00",
      "日本",
      "01",
      "1",
      "A",
      "a",
      "a//b",
      "é",
      "e\u0301",
      "zookeeper",
      "lock_x",
      "'",
      "\"",
      "a;DROP TABLE",
      "-1",
      "*",
      std::string(default_partition),
  };
  return values;
}

// Values that may be refused, by one clear error.
const std::vector<std::string>& doubtful_values() {
  static const std::vector<std::string> values = {
      ".",
      "..",
      "\n",
      "\x7f"s,
      "\u0085",
      "\xff\xfe"s,
      "\0a"s,
      "../../etc",
      ".owners",
      "lock_x_1-lock-0000000001",
      std::string(300, 'v'),
  };
  return values;
}

void odd_values_come_back(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party holder(bench);
  Party other(bench);
  std::vector<LockHandle> handles;
  std::multiset<std::string> held;
  for (const std::string& value : ordinary_values()) {
    const PartitionSpec resource = PartitionSpec(table).with("v", value);
    Result<LockHandle> result = holder.attempt(resource);
    handles.push_back(bench.granted(std::move(result), "the value \"" + value + "\" is lockable"));
    held.insert(value);
    bench.ended(other.attempt(resource), Errc::timeout, "\"" + value + "\" is held then");
  }
  std::multiset<std::string> listed;
  for (const Contender& contender : bench.holders(table)) {
    for (const PartitionKey& key : contender.resource.keys()) listed.insert(key.value);
  }
  bench.expect(listed == held, "the listing gives back every value, byte for byte");
}

void doubtful_values_are_clear(Bench& bench) {
  const PartitionSpec table = bench.table();
  Party holder(bench);
  for (const std::string& value : doubtful_values()) {
    const PartitionSpec resource = PartitionSpec(table).with("v", value);
    Result<LockHandle> result = holder.attempt(resource);
    if (!result) {
      bench.ended(result, Errc::invalid, "a value that can't be a name is refused as such");
      bench.expect(!result.error().message.empty(), "the refusal says why");
      bench.expect(bench.listed(table).empty(), "a refused value leaves nothing");
      continue;
    }
    const std::vector<Contender> holders = bench.holders(table);
    bench.must(holders.size() == 1, "a doubtful value that is granted is listed once");
    bench.expect(holders[0].resource.keys().at(0).value == value, "with the same bytes");
  }
}

// Two spellings, and whether they name things that exclude each other.
struct Pair {
  std::string_view what;
  PartitionSpec left;
  PartitionSpec right;
  bool meet;
};

void try_spellings(Bench& bench, const std::vector<Pair>& pairs) {
  Party a(bench);
  Party b(bench);
  for (const Pair& pair : pairs) {
    const LockHandle held = a.hold(pair.left);
    const Result<LockHandle> result = b.attempt(pair.right);
    bench.expect(result.has_value() != pair.meet,
                 std::string(pair.what) + (pair.meet ? " meet" : " are independent"));
    if (!result) bench.ended(result, Errc::timeout, "a conflict is told as busy");
  }
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return text;
}

void spellings_of_values(Bench& bench) {
  const PartitionSpec table = bench.table();
  const auto dt = [&](std::string_view value) { return PartitionSpec(table).with("dt", value); };
  try_spellings(
      bench, {
                 {"a/b and a%2Fb", dt("a/b"), dt("a%2Fb"), false},
                 {"A and a", dt("A"), dt("a"), false},
                 {"1 and 10", dt("1"), dt("10"), false},
                 {"1 and 01", dt("1"), dt("01"), false},
                 {"composed and decomposed é", dt("é"), dt("e\u0301"), false},
                 {"the empty value and the default partition", dt(""), dt(default_partition), true},
             });
}

void spellings_of_names(Bench& bench) {
  const PartitionSpec t = bench.table();
  const PartitionSpec capitals(upper(t.database()), upper(t.table()));
  const PartitionSpec longer(t.database(), t.table() + "_1");
  const PartitionSpec parsed = bench.value(PartitionSpec::parse(t.to_string() + "/dt=1/"),
                                           "a spec with a trailing slash is read");
  const std::vector<std::string> words = {t.database() + "." + t.table(), "dt=a/b"};
  const PartitionSpec spoken = bench.value(PartitionSpec::parse_words(words), "words are read");
  const PartitionSpec escaped =
      bench.value(PartitionSpec::parse(t.to_string() + "/dt=a%2Fb"), "the slash form is read");
  try_spellings(bench,
                {
                    {"T and t", capitals, t, true},
                    {"DT=1 and dt=1", PartitionSpec(t).with("DT", "1"),
                     PartitionSpec(t).with("dt", "1"), true},
                    {"dt=1/ and dt=1", parsed, PartitionSpec(t).with("dt", "1"), true},
                    {"the word dt=a/b and the path dt=a%2Fb", spoken, escaped, true},
                    {"t and t_1", t, longer, false},
                    {"dt=1/hr=2 and hr=2/dt=1", PartitionSpec(t).with("dt", "1").with("hr", "2"),
                     PartitionSpec(t).with("hr", "2").with("dt", "1"), true},
                });
}

void bad_specs_are_refused(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec twice = PartitionSpec(table).with("dt", "1").with("DT", "2");
  PartitionSpec deep = table;
  for (int i = 0; i < 70; ++i) deep.with("c" + std::to_string(i), "1");
  Party a(bench);
  bench.ended(a.attempt(PartitionSpec()), Errc::invalid, "a spec without a database is refused");
  const Error repeated = bench.ended(a.attempt(twice), Errc::invalid, "a repeated column");
  bench.expect(repeated.code == "duplicate_key", "it is called duplicate_key");
  const Error lengthy =
      bench.ended(a.attempt(PartitionSpec(table).with("dt", std::string(300, 'x'))), Errc::invalid,
                  "a component of 300 bytes");
  bench.expect(lengthy.code == "key_too_long", "it is called key_too_long");
  bench.ended(a.attempt(deep), Errc::invalid, "seventy levels");
  bench.expect(bench.listed(table).empty(), "a refused spec leaves nothing");
}

constexpr Check topic[] = {
    {"ordinary values lock and list back byte for byte", "L20 B01", Needs::exclusion,
     odd_values_come_back},
    {"a doubtful value is held under its own bytes or refused clearly", "L20 B01", Needs::exclusion,
     doubtful_values_are_clear},
    {"spellings of a value are one exactly where the canonical form says so", "L21 B02",
     Needs::exclusion, spellings_of_values},
    {"spellings of names and columns meet", "L21 B02", Needs::exclusion, spellings_of_names},
    {"a spec that names nothing is refused by its code", "B01", Needs::exclusion,
     bad_specs_are_refused},
};

}  // namespace

std::span<const Check> name_checks() {
  return topic;
}

}  // namespace locker::conformance
