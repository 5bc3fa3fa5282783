#include "backends/zookeeper/zookeeper_session.h"

#include <algorithm>
#include <set>
#include <utility>

namespace locker::backends::zookeeper {

using runtime::awaitable;
using runtime::StandingTicket;

awaitable<Result<std::vector<StandingTicket>>> ZooKeeperSession::standing(
    std::vector<core::Place> places) {
  const Self self = shared_from_this();
  if (self->over().has_value()) co_return *self->over();
  std::set<core::Resource> distinct;
  for (const core::Place& place : places) distinct.insert(place.resource);
  const std::vector<core::Resource> resources(distinct.begin(), distinct.end());
  // The server that answers may lag behind; what it says is to be as of now.
  Flight<void> caught_up = self->view_->handle->sync(self->view_->tree.root());
  Result<FoundNodes> found = co_await nodes_meeting(self->view_, resources);
  const Result<void> synced = co_await caught_up.answer();
  if (!synced) co_return synced.error();
  if (!found) co_return found.error();
  const FoundNodes nodes = *std::move(found);
  Result<FoundNodes> read = co_await read_nodes(self->view_, nodes);
  if (!read) co_return read.error();
  for (const FoundNode& node : *read) self->notes_.note(node.path, node.text);
  const FoundNodes known = *std::move(read);
  co_return co_await standing_tickets(self->view_, known);
}

awaitable<Result<std::vector<core::Ticket>>> ZooKeeperSession::still_there(
    std::vector<core::Ticket> tickets) {
  const Self self = shared_from_this();
  if (self->over().has_value()) co_return *self->over();
  // Several nodes of one directory are looked for in one list of it.
  std::map<std::string, std::size_t> directories;
  for (const core::Ticket& ticket : tickets) {
    ++directories[ticket.node.substr(0, ticket.node.rfind('/'))];
  }
  std::vector<std::string> lists;
  std::vector<std::string> singles;
  for (const auto& [directory, count] : directories) {
    if (count > 1) lists.push_back(directory);
  }
  for (const core::Ticket& ticket : tickets) {
    const std::string directory = ticket.node.substr(0, ticket.node.rfind('/'));
    if (directories.at(directory) == 1) singles.push_back(ticket.node);
  }
  Result<std::vector<std::optional<Children>>> listed = co_await children_of(self->view_, lists);
  if (!listed) co_return listed.error();
  Result<std::vector<std::optional<NodeData>>> read = co_await data_of(self->view_, singles);
  if (!read) co_return read.error();
  std::set<std::string> present;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (!(*listed)[i]) continue;
    for (const std::string& child : *(*listed)[i]) present.insert(lists[i] + "/" + child);
  }
  for (std::size_t i = 0; i < singles.size(); ++i) {
    if (!(*read)[i]) continue;
    present.insert(singles[i]);
    self->notes_.note(singles[i], lock_text((*read)[i]->data));
  }
  std::vector<core::Ticket> left;
  for (const core::Ticket& ticket : tickets) {
    if (present.contains(ticket.node)) {
      left.push_back(self->notes_.present(ticket));
    } else {
      self->notes_.forget(ticket.node);
    }
  }
  co_return left;
}

awaitable<Result<void>> ZooKeeperSession::watch(core::Ticket ticket, runtime::EventPtr changed) {
  const Self self = shared_from_this();
  if (self->over().has_value()) co_return *self->over();
  if (!self->notes_.agrees(ticket)) {
    changed->set();
    co_return Result<void>();
  }
  Flight<NodeData> flight = self->view_->handle->watch(ticket.node, changed);
  const Result<NodeData> read = co_await flight.answer();
  if (!read) {
    if (read.error().errc == Errc::rate_limited) {
      co_return make_error(Errc::unavailable, "this session has all the watches it can have");
    }
    if (read.error().errc != Errc::not_found) co_return read.error();
    changed->set();
    co_return Result<void>();
  }
  self->notes_.note(ticket.node, lock_text(read->data));
  if (!self->notes_.agrees(ticket)) changed->set();
  co_return Result<void>();
}

// Removes nodes in one step. What is gone already is no failure.
awaitable<Result<void>> ZooKeeperSession::remove_all(Self self, std::vector<std::string> paths) {
  const HandlePtr handle = self->view_->handle;
  if (paths.size() > 1) {
    std::vector<Operation> operations;
    for (const std::string& path : paths) operations.emplace_back(RemoveOperation{path});
    Flight<std::vector<OperationAnswer>> step = handle->multi(std::move(operations));
    const Result<std::vector<OperationAnswer>> removed = co_await step.answer();
    if (removed) co_return Result<void>();
    if (removed.error().errc != Errc::not_found) co_return removed.error();
  }
  std::vector<Flight<void>> flights;
  for (const std::string& path : paths) flights.push_back(handle->remove(path));
  Result<void> outcome;
  for (Flight<void>& flight : flights) {
    const Result<void> removed = co_await flight.answer();
    if (!removed && removed.error().errc != Errc::not_found) outcome = removed;
  }
  co_return outcome;
}

awaitable<Result<void>> ZooKeeperSession::leave(std::string request_id) {
  const Self self = shared_from_this();
  if (self->over().has_value()) co_return *self->over();
  const auto found = self->requests_.find(request_id);
  if (found == self->requests_.end()) co_return Result<void>();
  const std::vector<std::string> paths = found->second->all_paths();
  const Result<void> removed = co_await remove_all(self, paths);
  if (removed) self->requests_.erase(request_id);
  co_return removed;
}

awaitable<Result<void>> ZooKeeperSession::rewrite(Self self, EnqueuedPtr request) {
  std::vector<Operation> operations;
  for (std::size_t i = 0; i < request->nodes.size(); ++i) {
    operations.emplace_back(SetOperation{request->nodes[i], lock_json(*request, i), -1});
  }
  for (const std::string& companion : request->companions) {
    operations.emplace_back(SetOperation{companion, companion_json(*request), -1});
  }
  Flight<std::vector<OperationAnswer>> step = self->view_->handle->multi(std::move(operations));
  const Result<std::vector<OperationAnswer>> written = co_await step.answer();
  if (written) co_return Result<void>();
  if (written.error().errc == Errc::not_found) {
    co_return make_error(Errc::lost, "the lock to be changed does not stand any more");
  }
  co_return written.error();
}

awaitable<Result<void>> ZooKeeperSession::lower(std::string request_id) {
  const Self self = shared_from_this();
  if (self->over().has_value()) co_return *self->over();
  const auto found = self->requests_.find(request_id);
  if (found == self->requests_.end()) {
    co_return make_error(Errc::lost, "the lock to be lowered does not stand any more");
  }
  const EnqueuedPtr request = found->second;
  // From the sending on it is believed shared, whatever becomes of the answer.
  request->lowered = true;
  co_return co_await rewrite(self, request);
}

awaitable<Result<void>> ZooKeeperSession::reown(std::string request_id, std::string owner_id,
                                                std::string proof) {
  const Self self = shared_from_this();
  if (self->over().has_value()) co_return *self->over();
  const auto found = self->requests_.find(request_id);
  if (found == self->requests_.end()) {
    co_return make_error(Errc::lost, "the lock to be given does not stand any more");
  }
  const EnqueuedPtr request = found->second;
  if (!request->waits.empty()) {
    const std::string wait = self->view_->tree.wait(owner_id, request_id);
    Flight<Created> create = self->view_->handle->create(
        wait, members_to_json(request->request->places), NodeKind::ephemeral);
    const Result<Created> made = co_await create.answer();
    if (!made && made.error().code != "node_exists") co_return made.error();
    if (std::ranges::find(request->waits, wait) == request->waits.end()) {
      request->waits.push_back(wait);
    }
  }
  request->owner = owner_id;
  request->proof = proof;
  co_return co_await rewrite(self, request);
}

std::vector<std::string> ZooKeeperSession::nodes_of(const std::string& request_id) const {
  if (const auto own = requests_.find(request_id); own != requests_.end()) {
    return own->second->nodes;
  }
  const auto lent = lent_.find(request_id);
  return lent == lent_.end() ? std::vector<std::string>() : lent->second;
}

// The nodes of a request, in the order of its members; fewer where some are not there.
awaitable<Result<FoundNodes>> ZooKeeperSession::whole_request(Self self, std::string request_id,
                                                              std::vector<core::Place> members) {
  std::vector<std::string> paths;
  for (const core::Place& place : members) {
    paths.push_back(self->view_->tree.directory(place.resource));
  }
  Result<std::vector<std::optional<Children>>> lists = co_await children_of(self->view_, paths);
  if (!lists) co_return lists.error();
  FoundNodes found;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!(*lists)[i]) continue;
    FoundNodes nodes = lock_nodes(self->view_->tree, members[i].resource, *(*lists)[i]);
    const auto node = std::ranges::find(
        nodes, request_id,
        [](const FoundNode& one) -> const std::string& { return one.name.request; });
    if (node != nodes.end()) found.push_back(std::move(*node));
  }
  co_return co_await read_nodes(self->view_, found);
}

// All members of the request that a node belongs to.
awaitable<Result<std::vector<core::Place>>> ZooKeeperSession::members_of(Self self,
                                                                         FoundNode node) {
  std::vector<core::Place> members = node.text.members;
  const std::string first = node.text.first;
  if (members.empty() && !first.empty()) {
    const std::vector<core::Place> where{{core::Resource::from_path(first), LockMode::exclusive}};
    const std::string request_id = node.name.request;
    Result<FoundNodes> front = co_await whole_request(self, request_id, where);
    if (!front) co_return front.error();
    if (!front->empty()) members = front->front().text.members;
    if (!front->empty() && members.empty()) members = where;
  }
  if (members.empty()) members.push_back({node.resource, node.mode()});
  co_return members;
}

awaitable<Result<std::vector<StandingTicket>>> ZooKeeperSession::tickets_of(
    std::string owner_id, std::vector<core::Place> near) {
  const Self self = shared_from_this();
  if (self->over().has_value()) co_return *self->over();
  std::map<std::string, std::vector<core::Place>> requests;
  Flight<Children> list = self->view_->handle->children(self->view_->tree.waits());
  Result<Children> waits = co_await list.answer();
  if (!waits) co_return waits.error();
  std::vector<std::string> theirs;
  std::vector<std::string> paths;
  for (const std::string& name : *waits) {
    if (!name.starts_with(owner_id + ".")) continue;
    theirs.push_back(name.substr(owner_id.size() + 1));
    paths.push_back(self->view_->tree.waits() + "/" + name);
  }
  Result<std::vector<std::optional<NodeData>>> entries = co_await data_of(self->view_, paths);
  if (!entries) co_return entries.error();
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    if ((*entries)[i]) requests[theirs[i]] = members_of_json((*entries)[i]->data);
  }
  std::vector<core::Resource> resources;
  for (const core::Place& place : near) resources.push_back(place.resource);
  Result<FoundNodes> around = co_await nodes_meeting(self->view_, resources);
  if (!around) co_return around.error();
  const FoundNodes near_nodes = *std::move(around);
  Result<FoundNodes> read = co_await read_nodes(self->view_, near_nodes);
  if (!read) co_return read.error();
  for (const FoundNode& node : *read) {
    if (node.owner() != owner_id || requests.contains(node.name.request)) continue;
    Result<std::vector<core::Place>> members = co_await members_of(self, node);
    if (!members) co_return members.error();
    requests[node.name.request] = *std::move(members);
  }
  FoundNodes all;
  for (const auto& [request, members] : requests) {
    Result<FoundNodes> whole = co_await whole_request(self, request, members);
    if (!whole) co_return whole.error();
    // An entry among the waits may tell of a request that was given away since.
    std::erase_if(*whole, [&](const FoundNode& node) { return node.owner() != owner_id; });
    std::vector<std::string>& nodes = self->lent_[request];
    nodes.clear();
    for (const FoundNode& node : *whole) nodes.push_back(node.path);
    std::ranges::move(*whole, std::back_inserter(all));
  }
  co_return co_await standing_tickets(self->view_, all);
}

awaitable<Result<void>> ZooKeeperSession::write_if_held(std::string request_id, std::string key,
                                                        std::string value) {
  const Self self = shared_from_this();
  if (self->over().has_value()) co_return *self->over();
  const Error fenced = make_error(Errc::fenced,
                                  "The lock under which this was to be recorded does not stand any "
                                  "more; nothing was recorded.");
  const HandlePtr handle = self->view_->handle;
  const std::vector<std::string> nodes = self->nodes_of(request_id);
  if (nodes.empty()) co_return fenced;
  const std::string path = self->view_->tree.record(key);
  const std::string json = to_json(RecordText{key, value});
  // Another writer may make or remove the record between the look and the write.
  while (true) {
    Flight<Stat> look = handle->exists(path);
    const Result<Stat> there = co_await look.answer();
    if (!there && there.error().errc != Errc::not_found) co_return there.error();
    std::vector<Operation> operations;
    for (const std::string& node : nodes) operations.emplace_back(CheckOperation{node, -1});
    if (there) {
      operations.emplace_back(SetOperation{path, json, -1});
    } else {
      operations.emplace_back(CreateOperation{path, json, NodeKind::persistent, Access::shared});
    }
    Flight<std::vector<OperationAnswer>> step = handle->multi(std::move(operations));
    const Result<std::vector<OperationAnswer>> written = co_await step.answer();
    if (written) co_return Result<void>();
    const Error why = written.error();
    if (why.errc != Errc::not_found && why.code != "node_exists") co_return why;
    Result<std::vector<std::optional<NodeData>>> held = co_await data_of(self->view_, nodes);
    if (!held) co_return held.error();
    const bool whole = std::ranges::all_of(*held, [](const auto& one) { return one.has_value(); });
    if (!whole) co_return fenced;
  }
}

}  // namespace locker::backends::zookeeper
