#include "cli/listing.h"

#include "cli/exit_codes.h"
#include "cli/json_text.h"
#include "cli/render.h"

namespace locker::cli {
namespace {

constexpr std::size_t short_id_length = 8;

std::string short_ids(std::span<const std::string> ids) {
  std::string text;
  for (const std::string& id : ids) text += (text.empty() ? "" : " ") + short_id(id);
  return text;
}

}  // namespace

bool wants_json(const Settings& settings) {
  return settings.text("output") != "table";
}

std::string short_id(std::string_view id) {
  return std::string(id.substr(0, short_id_length));
}

int print_json_items(const Call& call, std::span<const std::string> items) {
  std::string text;
  if (call.settings.text("output") == "json") {
    text = json_list(items) + "\n";
  } else {
    for (const std::string& item : items) text += item + "\n";
  }
  return print(text) ? exit_done : exit_no_output;
}

int print_contenders(const Call& call, std::span<const Contender> contenders) {
  if (wants_json(call.settings)) {
    std::vector<std::string> items;
    for (const Contender& each : contenders) items.push_back(contender_json(each));
    return print_json_items(call, items);
  }
  if (contenders.empty()) return exit_done;
  Table table({"RESOURCE", "MODE", "STATE", "REQUEST", "HOST", "PID", "USER", "APPLICATION",
               "COMMAND", "SINCE", "TOKEN", "BLOCKED BY", "REASON"});
  for (const Contender& each : contenders) {
    table.add({each.resource.to_string(), std::string(name_of(each.mode)),
               each.holds ? "holds" : "waits", short_id(each.request), each.owner.host,
               std::to_string(each.owner.pid), each.owner.user, each.owner.application,
               each.owner.command, local_text(each.since), each.token.to_string(),
               short_ids(each.blocked_by), each.owner.reason});
  }
  return print(table.to_string()) ? exit_done : exit_no_output;
}

}  // namespace locker::cli
