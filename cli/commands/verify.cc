#include <array>

#include <locker/text.h>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/listing.h"
#include "cli/render.h"
#include "cli/store.h"
#include "tests/conformance/conformance.h"

namespace locker::cli {
namespace {

using conformance::Check;
using conformance::Outcome;
using conformance::Verdict;

constexpr std::array options{
    OptionSpec{"--backend", "URL", "the same as --url"},
    OptionSpec{"--only", "TEXT", "only checks whose name has this in it"},
};
constexpr std::array<std::string_view, 5> settings{"url", "connect_timeout", "session_timeout",
                                                   "output", "log_level"};

std::string as_json(const Check& check, const Outcome& outcome) {
  return JsonObject()
      .text("check", check.name)
      .text("cases", check.ids)
      .text("verdict", conformance::name_of(outcome.verdict))
      .number("took_ms", outcome.took.count())
      .raw("failures", json_strings(outcome.failures))
      .take();
}

std::string as_text(const Check& check, const Outcome& outcome) {
  std::string text(conformance::name_of(outcome.verdict));
  text.resize(std::max<std::size_t>(text.size(), 12), ' ');
  text += "  " + std::string(check.name) + "\n";
  for (const std::string& failure : outcome.failures) text += "    " + visible(failure) + "\n";
  return text;
}

// Whether the store answers at all; without it every check would say the same.
Result<void> reach(const Call& call, const std::string& url) {
  Result<PartitionLocker> opened = PartitionLocker::open(url, open_options(call.settings));
  if (opened) return {};
  Error error = std::move(opened).error();
  if (!call.options.has("--backend")) return explain_open_error(call.settings, std::move(error));
  if (error.errc == Errc::config) error.errc = Errc::invalid;
  error.message = "--backend: " + error.message;
  return error;
}

// Each verdict is printed when it is there: a run takes a while.
int run(Call& call) {
  const std::string url =
      call.options.has("--backend") ? call.options.value("--backend") : call.settings.text("url");
  if (call.options.has("--backend") && call.settings.value("url").origin == Origin::flag) {
    return call.voice.fail(
        make_error(Errc::invalid, "usage", "--backend is --url by another name: give one of them"));
  }
  const Result<void> reached = reach(call, url);
  if (!reached) return call.voice.fail(reached.error());
  const std::string only = call.options.value("--only");
  conformance::Settings wanted = conformance::settings_for(url);
  wanted.session_timeout = call.settings.duration("session_timeout");
  std::vector<std::string> items;
  int counts[3] = {0, 0, 0};
  bool printed = true;
  for (const Check& check : conformance::checks()) {
    if (check.name.find(only) == std::string_view::npos) continue;
    const Outcome outcome = conformance::run(check, wanted);
    ++counts[static_cast<int>(outcome.verdict)];
    items.push_back(as_json(check, outcome));
    if (call.settings.text("output") == "jsonl") printed &= print(items.back() + "\n");
    if (!wants_json(call.settings)) printed &= print(as_text(check, outcome));
  }
  if (call.settings.text("output") == "json") printed &= print_json_items(call, items) == exit_done;
  const int failed = counts[static_cast<int>(Verdict::failed)];
  if (!wants_json(call.settings)) {
    printed &=
        print(std::to_string(counts[static_cast<int>(Verdict::passed)]) + " passed, " +
              std::to_string(failed) + " failed, " +
              std::to_string(counts[static_cast<int>(Verdict::not_promised)]) + " not promised\n");
  }
  if (items.empty()) {
    return call.voice.fail(make_error(Errc::not_found, "no check has that in its name"));
  }
  if (failed != 0) return exit_no;
  return printed ? exit_done : exit_no_output;
}

}  // namespace

extern const CommandSpec verify_command{
    "verify",
    "[options]",
    "check that a store does what a lock must do",
    "Works in databases of its own, which it leaves empty; exit code 1 if a check failed.",
    options,
    settings,
    false,
    run,
    {},
    0};

}  // namespace locker::cli
