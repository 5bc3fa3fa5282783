#include <algorithm>
#include <optional>

#include "tests/conformance/bench.h"
#include "tests/conformance/topics.h"

namespace locker::conformance {
namespace {

void tokens_rise_up_and_down_the_tree(Bench& bench) {
  const PartitionSpec database = bench.database();
  const PartitionSpec table(database.database(), "orders");
  const PartitionSpec day = PartitionSpec(table).with("dt", "1");
  const PartitionSpec hour = PartitionSpec(day).with("hr", "7");
  Party a(bench);
  Party b(bench);
  FencingToken last;
  // Every two of these conflict, so each grant's token is greater than all before it.
  for (const PartitionSpec& resource :
       {day, table, hour, database, hour, day, hour, table, day, database, table}) {
    for (Party* party : {&a, &b}) {
      const LockHandle held = party->hold(resource);
      bench.expect(held.token() > last, "the token of " + resource.to_string() + " is greater");
      last = std::max(last, held.token());
    }
  }
}

void tokens_rise_between_readers_and_writers(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  FencingToken last;
  for (int round = 0; round < 5; ++round) {
    FencingToken greatest_reader = last;
    {
      const LockHandle one = a.hold(shared(resource));
      const LockHandle two = b.hold(shared(resource));
      bench.expect(one.token() > last && two.token() > last, "readers after a writer have greater");
      greatest_reader = std::max(one.token(), two.token());
    }
    const LockHandle writer = a.hold(resource);
    bench.expect(writer.token() > greatest_reader, "a writer after readers has a greater");
    last = writer.token();
  }
}

void waiters_tokens_are_later(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  Party b(bench);
  LockHandle first = a.hold(resource);
  const FencingToken before = first.token();
  Ask waiting = b.queue(resource, 0);
  bench.ok(first.unlock(), "the holder lets go");
  const LockHandle second = bench.granted(waiting, "the waiter is granted");
  bench.expect(second.token() > before, "who waited holds by a greater token");
}

void tokens_survive_everything(Bench& bench) {
  const PartitionSpec table = bench.table();
  const PartitionSpec resource = PartitionSpec(table).with("dt", "1");
  FencingToken last;
  for (int round = 0; round < 4; ++round) {
    Party party(bench);
    {
      const LockHandle held = party.hold(resource);
      bench.expect(held.token() > last, "a token is greater than one of an earlier session");
      last = held.token();
    }
    bench.ok(party.locker.unregister_table(table), "the table is forgotten");
    bench.value(party.locker.clean(), "left-overs are cleaned");
  }
}

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char digit) {
    return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
  });
}

void tokens_have_a_fixed_form(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  std::optional<FencingToken> last;
  for (int round = 0; round < 20; ++round) {
    const LockHandle held = a.hold(resource);
    const FencingToken token = held.token();
    const std::string text = token.to_string();
    bench.must(text.size() == 26 && text[16] == '-', "a token is 16 digits, a dash, 9 digits");
    bench.expect(is_lower_hex(text.substr(0, 16)) && is_lower_hex(text.substr(17)), "in hex");
    bench.expect(bench.value(FencingToken::parse(text), "a token is read back") == token,
                 "and reads back as itself");
    if (last) bench.expect(text > last->to_string(), "string order is token order");
    last = token;
  }
}

void listing_shows_the_token(Bench& bench) {
  const PartitionSpec resource = bench.table().with("dt", "1");
  Party a(bench);
  const LockHandle held = a.hold(resource);
  const std::vector<Contender> holders = bench.holders(resource);
  bench.must(holders.size() == 1, "the holder is listed");
  bench.expect(holders[0].token == held.token(), "with the token that its handle has");
}

constexpr Check topic[] = {
    {"tokens rise over a resource, what contains it and what it contains", "", Needs::hierarchy,
     tokens_rise_up_and_down_the_tree},
    {"tokens rise between readers and writers", "", Needs::shared,
     tokens_rise_between_readers_and_writers},
    {"who waited holds by a greater token", "L02", Needs::exclusion, waiters_tokens_are_later},
    {"tokens rise over sessions and over a table that is forgotten", "R30", Needs::exclusion,
     tokens_survive_everything},
    {"a token has a fixed form whose order is the tokens'", "", Needs::exclusion,
     tokens_have_a_fixed_form},
    {"the listing shows the holder's token", "L39", Needs::exclusion, listing_shows_the_token},
};

}  // namespace

std::span<const Check> token_checks() {
  return topic;
}

}  // namespace locker::conformance
