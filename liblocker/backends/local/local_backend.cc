#include "backends/local/local_backend.h"

#include <algorithm>
#include <utility>

#include "backends/local/local_session.h"
#include "core/random_id.h"
#include "core/url.h"

namespace locker::backends::local {

using runtime::awaitable;
using runtime::SessionPtr;

namespace {

struct Opened {
  StoreFiles files;
  Pipes pipes;
};
// A result travels through std::function, which copies, and pipes are not copied.
using OpenedPtr = std::shared_ptr<Opened>;

}  // namespace

LocalBackend::LocalBackend(LocalOptions options)
    : options_(std::move(options)),
      thread_(std::make_shared<StoreThread>(options_.executor, options_.location, options_.boot)),
      directory_(thread_, AskOptions{options_.patience, true}, options_.self, options_.clock) {}

awaitable<Result<SessionPtr>> LocalBackend::open_session(runtime::Deadline deadline) {
  const runtime::BootTime asked_at = options_.clock->boot_now();
  const WallTime now = options_.clock->wall_now();
  AskOptions opening{std::chrono::milliseconds::max(), true};
  if (!deadline.never()) {
    opening.patience =
        std::max(deadline.at - options_.clock->now(), std::chrono::milliseconds::zero());
  }
  const std::string id = core::random_id();
  const OwnerInfo self = options_.self;
  const StoreWork<OpenedPtr> work = [id, self, now](Store& store) -> Result<OpenedPtr> {
    Result<Pipes> pipes = store.open_session(id, self, now);
    if (!pipes) return pipes.error();
    return std::make_shared<Opened>(Opened{store.files(), *std::move(pipes)});
  };
  const Result<OpenedPtr> opened = co_await ask<OpenedPtr>(thread_, opening, work);
  if (!opened) co_return opened.error();
  LocalSession::Parts parts;
  parts.thread = thread_;
  parts.patience = AskOptions{options_.patience, false};
  parts.id = id;
  parts.files = (*opened)->files;
  parts.pipes = std::move((*opened)->pipes);
  parts.opened_at = asked_at;
  const auto session = std::make_shared<LocalSession>(std::move(parts));
  session->start();
  co_return SessionPtr(session);
}

std::string LocalBackend::url() const {
  core::Url url;
  url.scheme = "local";
  url.path = options_.location.directory;
  return core::to_string(url);
}

std::vector<std::string> LocalBackend::warnings() const {
  if (!options_.location.per_user) return {};
  return {"The lock store " + options_.location.directory +
          " is this user's own, so other users are not excluded; to share one, let an "
          "administrator make /var/lib/locker for the group `locker` and put you into that group."};
}

}  // namespace locker::backends::local
