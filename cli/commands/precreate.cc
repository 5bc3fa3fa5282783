#include <algorithm>
#include <array>

#include <locker/text.h>

#include "cli/command.h"
#include "cli/day_format.h"
#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/listing.h"
#include "cli/render.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array options{
    OptionSpec{"--column", "COLUMN", "the partition column that holds the day (needed)"},
    OptionSpec{"--format", "PATTERN", "how a day is written: yyyy, MM and dd (default yyyyMMdd)"},
    OptionSpec{"--days", "N", "how many days, today the first (default 7)"},
    OptionSpec{"--tz", "ZONE", "the zone that says which day is today (default: the local one)"},
};
constexpr std::array<std::string_view, 4> settings{"output", "url", "connect_timeout", "log_level"};
constexpr int most_days = 3660;

Error usage(std::string message) {
  return make_error(Errc::invalid, "usage", std::move(message));
}

Result<int> read_days(const ParsedOptions& given) {
  if (!given.has("--days")) return 7;
  const std::string text = given.value("--days");
  const bool digits = !text.empty() && text.size() <= 4 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  const int days = digits ? std::stoi(text) : 0;
  if (days >= 1 && days <= most_days) return days;
  return usage("--days: \"" + visible(text) + "\" is no number of days, 1 to 3660");
}

// The day's column comes first in the table; the order is fixed here if nothing fixed it before.
Result<void> fix_column(PartitionLocker& locker, const PartitionSpec& table,
                        const std::string& column) {
  const Result<std::optional<TableColumns>> fixed = locker.table_columns(table);
  if (!fixed) return fixed.error();
  if (!*fixed) {
    const std::vector<std::string> columns{column};
    return locker.register_table(table, columns);
  }
  const std::vector<std::string>& columns = (*fixed)->columns;
  if (!columns.empty() && columns.front() == column) return {};
  std::string order;
  for (const std::string& each : columns) order += (order.empty() ? "" : ", ") + each;
  return make_error(Errc::invalid, "unknown_column",
                    table.to_string() + " begins with the columns " + order + " (fixed by " +
                        (*fixed)->set_by + " at " + local_text((*fixed)->set_at) + "), not with " +
                        visible(column));
}

// What is to be made, and until when it is to stay.
struct Coming {
  std::vector<PartitionSpec> partitions;
  std::chrono::system_clock::time_point until;
};

Result<Coming> read_partitions(const Call& call, const PartitionSpec& table) {
  const ParsedOptions& given = call.options;
  const std::string pattern = given.has("--format") ? given.value("--format") : "yyyyMMdd";
  if (given.has("--tz") && given.value("--tz").empty()) {
    return usage("--tz: the zone is empty; leave the option out for the local one");
  }
  const Result<int> count = read_days(given);
  if (!count) return count.error();
  const Result<Days> days = days_from_today(pattern, *count, given.value("--tz"));
  if (!days) return days.error();
  Coming coming;
  coming.until = days->end;
  for (const std::string& day : days->names) {
    coming.partitions.push_back(PartitionSpec(table).with(given.value("--column"), day));
    const Result<void> checked = coming.partitions.back().check();
    if (!checked) return checked.error();
  }
  return coming;
}

// What was done, for people.
std::string outcome_text(const PartitionSpec& table, const std::string& column,
                         const Coming& coming, std::optional<int> made) {
  const std::string order = "the column order of " + table.to_string() + " begins with " + column;
  if (!made) {
    return order +
           "; this store makes a partition's queue when it is first locked, so nothing "
           "else had to be made";
  }
  const std::size_t all = coming.partitions.size();
  return order + "; made " + std::to_string(*made) + " of " + std::to_string(all) +
         (all == 1 ? " partition's place" : " partitions' places") + ", kept until " +
         local_text(coming.until) + ", after which `locker doctor --clean` removes them";
}

int run(Call& call) {
  const Result<PartitionSpec> table = read_resource(call.options.words);
  if (!table) return call.voice.fail(table.error());
  if (table->table().empty() || !table->keys().empty()) {
    return call.voice.fail(usage("precreate takes a table, DB.TABLE, and names the days itself"));
  }
  if (call.options.value("--column").empty()) {
    return call.voice.fail(usage("precreate needs --column, the column that holds the day"));
  }
  const Result<Coming> coming = read_partitions(call, *table);
  if (!coming) return call.voice.fail(coming.error());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  const std::string column = coming->partitions.front().keys().front().column;
  const Result<void> fixed = fix_column(*locker, *table, column);
  if (!fixed) return call.voice.fail(fixed.error());
  const Result<std::optional<int>> made = locker->prepare(coming->partitions, coming->until);
  if (!made) return call.voice.fail(made.error());
  std::string text;
  std::vector<std::string> items;
  for (const PartitionSpec& each : coming->partitions) {
    text += each.to_string() + "\n";
    items.push_back(
        JsonObject().text("resource", each.to_string()).text("path", each.path()).take());
  }
  if (wants_json(call.settings)) return print_json_items(call, items);
  call.voice.say(outcome_text(*table, column, *coming, *made));
  return print(text) ? exit_done : exit_no_output;
}

}  // namespace

extern const CommandSpec precreate_command{
    "precreate",
    "--column COLUMN [options] DB.TABLE",
    "prepare the coming days' partitions",
    "Fixes the table's column order, if nothing has yet, makes the partitions' places in the "
    "store, "
    "and prints the partitions in the slash form. The places are kept to the end of the last day; "
    "`locker doctor --clean` removes them after it. A `local:` store has no places to make.",
    options,
    settings,
    false,
    run,
    {},
    1};

}  // namespace locker::cli
