#pragma once

#include "runtime/engine.h"

namespace locker::runtime {

// A child process with its parent's owner *is* that owner: what the parent holds covers what the
// child asks for, without tickets of the child's own. The grant counts only while the parent's
// tickets stand; the child is told `lost` when they go.
// Answers null where the parent holds nothing that covers the request. Errors: unauthorized (the
// secret is not the owner's), lost, and whatever the coordinator refuses with.
awaitable<Result<GrantPtr>> borrow_grant(EnginePtr engine, LifelinePtr line, RequestPtr request);

}  // namespace locker::runtime
