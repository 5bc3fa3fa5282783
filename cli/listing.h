#pragma once

#include <span>
#include <string>

#include <locker/listing.h>

#include "cli/command.h"

namespace locker::cli {

// Prints holders and waiters in the form that the settings ask for; the exit code.
int print_contenders(const Call& call, std::span<const Contender> contenders);

// Prints items that are JSON already: one list for `json`, a line each for `jsonl`.
int print_json_items(const Call& call, std::span<const std::string> items);

// Whether the output is JSON of either form.
bool wants_json(const Settings& settings);

// The first characters of an id, enough for eyes and for `break --id`.
std::string short_id(std::string_view id);

}  // namespace locker::cli
