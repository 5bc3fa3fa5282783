#include <array>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/listing.h"
#include "cli/render.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array<std::string_view, 4> settings{"output", "url", "connect_timeout", "log_level"};

Result<std::vector<TableColumns>> wanted(PartitionLocker& locker,
                                         const std::optional<PartitionSpec>& table) {
  if (!table) return locker.tables();
  Result<std::optional<TableColumns>> one = locker.table_columns(*table);
  if (!one) return std::move(one).error();
  if (*one) return std::vector<TableColumns>{std::move(**one)};
  return make_error(Errc::not_found, "no column order is fixed for " + table->to_string());
}

int run(Call& call) {
  const Result<std::optional<PartitionSpec>> table = read_prefix(call.options.words);
  if (!table) return call.voice.fail(table.error());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  const Result<std::vector<TableColumns>> all = wanted(*locker, *table);
  if (!all) return call.voice.fail(all.error());
  std::vector<std::string> items;
  Table rows({"TABLE", "COLUMNS", "SET BY", "SET AT", "HOW"});
  for (const TableColumns& each : *all) {
    items.push_back(table_columns_json(each));
    std::string columns;
    for (const std::string& column : each.columns)
      columns += (columns.empty() ? "" : ", ") + column;
    rows.add({each.table.to_string(), columns, each.set_by, local_text(each.set_at),
              each.registered ? "registered" : "by a lock"});
  }
  if (wants_json(call.settings)) return print_json_items(call, items);
  if (all->empty()) return exit_done;
  return print(rows.to_string()) ? exit_done : exit_no_output;
}

}  // namespace

extern const CommandSpec table_show_command{"table show",
                                            "[options] [DB.TABLE]",
                                            "show the fixed orders of partition columns",
                                            "",
                                            {},
                                            settings,
                                            false,
                                            run,
                                            {},
                                            1};

}  // namespace locker::cli
