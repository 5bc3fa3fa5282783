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

Result<std::vector<PartitionSpec>> read_partitions(const Call& call, const PartitionSpec& table) {
  const ParsedOptions& given = call.options;
  const std::string pattern = given.has("--format") ? given.value("--format") : "yyyyMMdd";
  if (given.has("--tz") && given.value("--tz").empty()) {
    return usage("--tz: the zone is empty; leave the option out for the local one");
  }
  const Result<int> count = read_days(given);
  if (!count) return count.error();
  const Result<std::vector<std::string>> days =
      days_from_today(pattern, *count, given.value("--tz"));
  if (!days) return days.error();
  std::vector<PartitionSpec> partitions;
  for (const std::string& day : *days) {
    partitions.push_back(PartitionSpec(table).with(given.value("--column"), day));
    const Result<void> checked = partitions.back().check();
    if (!checked) return checked.error();
  }
  return partitions;
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
  const Result<std::vector<PartitionSpec>> partitions = read_partitions(call, *table);
  if (!partitions) return call.voice.fail(partitions.error());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  const std::string column = partitions->front().keys().front().column;
  const Result<void> fixed = fix_column(*locker, *table, column);
  if (!fixed) return call.voice.fail(fixed.error());
  std::string text;
  std::vector<std::string> items;
  for (const PartitionSpec& each : *partitions) {
    text += each.to_string() + "\n";
    items.push_back(
        JsonObject().text("resource", each.to_string()).text("path", each.path()).take());
  }
  if (wants_json(call.settings)) return print_json_items(call, items);
  call.voice.say("the column order of " + table->to_string() + " begins with " + column +
                 "; this store makes a partition's queue when it is first locked, so nothing else "
                 "had to be made");
  return print(text) ? exit_done : exit_no_output;
}

}  // namespace

extern const CommandSpec precreate_command{
    "precreate",
    "--column COLUMN [options] DB.TABLE",
    "prepare the coming days' partitions",
    "Fixes the table's column order, if nothing has yet, and prints the partitions in the slash "
    "form. A `local:` store needs no other preparation.",
    options,
    settings,
    false,
    run,
    {},
    1};

}  // namespace locker::cli
