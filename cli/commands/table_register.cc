#include <array>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/store.h"

namespace locker::cli {
namespace {

constexpr std::array options{
    OptionSpec{"--replace", "", "put it in the place of another order, under the table's lock"},
};
constexpr std::array<std::string_view, 3> settings{"url", "connect_timeout", "log_level"};

int run(Call& call) {
  const std::vector<std::string>& words = call.options.words;
  if (words.size() < 2) {
    return call.voice.fail(make_error(Errc::invalid, "usage",
                                      "table register needs a table and its columns in order: "
                                      "DB.TABLE COLUMN…"));
  }
  const Result<PartitionSpec> table = read_resource(std::span(words).first(1));
  if (!table) return call.voice.fail(table.error());
  const std::vector<std::string> columns(words.begin() + 1, words.end());
  Result<PartitionLocker> locker = open_store(call);
  if (!locker) return call.voice.fail(locker.error());
  const Result<void> done = locker->register_table(*table, columns, call.options.has("--replace"));
  return done ? exit_done : call.voice.fail(done.error());
}

}  // namespace

extern const CommandSpec table_register_command{"table register",
                                                "[options] DB.TABLE COLUMN…",
                                                "fix the order of a table's partition columns",
                                                "",
                                                options,
                                                settings,
                                                false,
                                                run};

}  // namespace locker::cli
