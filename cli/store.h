#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include <locker/partition_locker.h>

#include "cli/command.h"

namespace locker::cli {

// What the settings of a call say about opening a store.
OpenOptions open_options(const Settings& settings);

// Opens the store that the settings name and says its warnings. A bad URL is `invalid` (64) if a
// flag named it, `config` (78) otherwise.
Result<PartitionLocker> open_store(Call& call);
// Makes an error of opening such a store say where its URL came from.
Error explain_open_error(const Settings& settings, Error error);

// The owner that LOCKER_OWNER hands down; nothing without it. Error: config.
Result<std::optional<Owner>> inherited_owner();

// Reads a resource from words, `DB.TABLE COL=VALUE…` (raw), or from one word in the slash form.
// Errors: invalid/usage (no word), invalid/bad_spec.
Result<PartitionSpec> read_resource(std::span<const std::string> words);
// The same where no word means everything.
Result<std::optional<PartitionSpec>> read_prefix(std::span<const std::string> words);

// What a command locks or asks about: the resource in the words, or each of -p. Mode by -s.
Result<LockSet> read_members(const ParsedOptions& options, std::span<const std::string> words);
// How long to wait by -w, -n and the settings. Error: invalid/usage (-n against -w).
Result<std::chrono::milliseconds> lock_timeout(const Call& call);
// "ods.t/dt=1", or "3 resources (ods.t/dt=1, …)".
std::string members_text(const LockSet& members);
// A sentence for whoever locks a whole database, most likely for having left out its name; empty
// where every member is a table or below one.
std::string database_note(const LockSet& members);
// The directory of the default store, "/var/lib/locker" or the user's own; empty if there is none.
std::string default_store_directory();
// The user's own default store, whichever is in use; empty if there is none.
std::string own_store_directory();

}  // namespace locker::cli
