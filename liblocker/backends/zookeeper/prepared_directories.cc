#include "backends/zookeeper/prepared_directories.h"

namespace locker::backends::zookeeper {

using runtime::awaitable;

namespace {

// Whether the directory had to be made.
awaitable<Result<bool>> prepare_one(ViewPtr view, std::string path, WallMs until_ms) {
  const HandlePtr handle = view->handle;
  const std::string json = prepared_to_json(until_ms);
  // Lockers make and remove directories meanwhile.
  while (true) {
    Flight<Created> create = handle->create(path, json, NodeKind::persistent);
    const Result<Created> made = co_await create.answer();
    if (made) co_return true;
    if (made.error().errc == Errc::not_found) {
      const std::vector<std::string> parent{path.substr(0, path.rfind('/'))};
      const Result<void> room = co_await make_containers(view, parent);
      if (!room) co_return room.error();
      continue;
    }
    if (made.error().code != "node_exists") co_return made.error();
    Flight<NodeData> look = handle->get(path);
    const Result<NodeData> present = co_await look.answer();
    if (!present && present.error().errc == Errc::not_found) continue;
    if (!present) co_return present.error();
    const std::optional<WallMs> kept_until = prepared_until(present->data);
    const bool prepared = kept_until.has_value();
    // A container that somebody uses now stays as it is: it goes when it is used no more.
    if (!prepared && (present->stat.children != 0 || !present->data.empty())) co_return false;
    if (prepared && *kept_until >= until_ms) co_return false;
    if (prepared) {
      Flight<Stat> put_off = handle->set(path, json, present->stat.version);
      const Result<Stat> written = co_await put_off.answer();
      if (written) co_return false;
      if (written.error().code != "bad_version" && written.error().errc != Errc::not_found) {
        co_return written.error();
      }
      continue;
    }
    Flight<void> remove = handle->remove(path, present->stat.version);
    const Result<void> gone = co_await remove.answer();
    const bool changed =
        !gone && (gone.error().errc == Errc::conflict || gone.error().errc == Errc::not_found);
    if (!gone && !changed) co_return gone.error();
  }
}

}  // namespace

awaitable<Result<int>> prepare_directories(ViewPtr view, std::vector<core::Resource> resources,
                                           WallMs until_ms) {
  int made = 0;
  for (const core::Resource& resource : resources) {
    const std::string path = view->tree.directory(resource);
    Result<bool> fresh = co_await prepare_one(view, path, until_ms);
    if (!fresh) co_return fresh.error();
    if (*fresh) ++made;
  }
  co_return made;
}

}  // namespace locker::backends::zookeeper
