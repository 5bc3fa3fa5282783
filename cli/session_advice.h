#pragma once

#include <string>

#include <locker/listing.h>

#include "cli/process_state.h"

namespace locker::cli {

// What a person should do about a session, given what has become of the process behind it.
std::string advice_for(const SessionInfo& session, ProcessState state);

}  // namespace locker::cli
