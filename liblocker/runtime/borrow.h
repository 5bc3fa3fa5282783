#pragma once

#include "runtime/engine.h"

namespace locker::runtime {

// A child process with its parent's owner *is* that owner: what the parent holds covers what the
// child asks for, without tickets of the child's own. The grant counts only while the parent's
// tickets stand; the child is told `lost` when they go.
// Only an ancestor lends, or a process of another host, which can't be told from one: what a
// sibling holds ends with the sibling. Answers null where nobody lends what covers the request;
// then the request stands by itself, and an owner's own tickets are not in its way. Errors:
// unauthorized (the secret is not the owner's), lost, and whatever the coordinator refuses with.
awaitable<Result<GrantPtr>> borrow_grant(EnginePtr engine, LifelinePtr line, RequestPtr request);

}  // namespace locker::runtime
