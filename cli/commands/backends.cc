#include <array>

#include <locker/about.h>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/listing.h"
#include "cli/render.h"

namespace locker::cli {
namespace {

constexpr std::array<std::string_view, 1> settings{"output"};

int run(Call& call) {
  std::vector<std::string> items;
  std::string text;
  for (const BackendAbout& each : built_in_backends()) {
    items.push_back(JsonObject()
                        .text("scheme", each.scheme)
                        .text("url", each.url_form)
                        .text("what", each.what)
                        .text("liveness", each.liveness)
                        .text("order", each.order)
                        .text("not_promised", each.not_promised)
                        .text("library", each.library)
                        .take());
    Table facts({each.scheme, each.what});
    facts.add({"url", each.url_form});
    facts.add({"liveness", each.liveness});
    facts.add({"order", each.order});
    facts.add({"not promised", each.not_promised});
    facts.add({"library", each.library});
    text += (text.empty() ? "" : "\n") + facts.to_string();
  }
  if (wants_json(call.settings)) return print_json_items(call, items);
  return print(text) ? exit_done : exit_no_output;
}

}  // namespace

extern const CommandSpec backends_command{
    "backends", "[options]", "the backends that are built in, and what each promises",
    "",         {},          settings,
    false,      run,         {},
    0};

}  // namespace locker::cli
