#include <algorithm>
#include <utility>

#include "backends/zookeeper/zookeeper_session.h"
#include "runtime/spawn.h"

namespace locker::backends::zookeeper {

using runtime::awaitable;
using runtime::Joined;
using runtime::Request;
using runtime::RequestPtr;
using runtime::StandingTicket;

// Everything of one enqueueing that is under way at the same time, in the order of sending.
struct ZooKeeperSession::Flights {
  std::optional<Flight<Created>> own_node;
  std::optional<Flight<Created>> one;
  std::optional<Flight<std::vector<OperationAnswer>>> step;
  std::vector<Flight<Children>> members;
  std::vector<Flight<Children>> above;
  std::vector<Flight<Children>> unpaired;
  std::vector<Flight<NodeData>> tables;
};

bool ZooKeeperSession::knows(const TableColumns& order) const {
  const auto found = orders_.find(core::Resource(order.table).path());
  return found != orders_.end() && found->second.columns == order.columns;
}

namespace {

// Whether `wanted` is `present` with further columns.
bool lengthens(const std::vector<std::string>& wanted, const std::vector<std::string>& present) {
  return wanted.size() > present.size() &&
         std::equal(present.begin(), present.end(), wanted.begin());
}

std::string asker_name(const OwnerInfo& asker) {
  return asker.user + "@" + asker.host;
}

}  // namespace

// Makes the table's node hold the order that a request relies on, if it holds none or a shorter
// one. Answers whether it does now.
awaitable<Result<bool>> ZooKeeperSession::fix_order(Self self, TableColumns wanted,
                                                    OwnerInfo asker) {
  const core::Resource table(wanted.table);
  const std::string path = self->view_->tree.directory(table);
  const HandlePtr handle = self->view_->handle;
  // Somebody else may write between the look and the write: then one looks again.
  while (true) {
    Flight<NodeData> look = handle->get(path);
    const Result<NodeData> read = co_await look.answer();
    const bool there = read.has_value();
    if (!there && read.error().errc != Errc::not_found) co_return read.error();
    Result<TableText> text = table_text(there ? read->data : std::string());
    if (!text) co_return text.error();
    if (text->columns == wanted.columns) {
      self->orders_.insert_or_assign(table.path(), *text);
      co_return true;
    }
    if (text->registered || !lengthens(wanted.columns, text->columns)) co_return false;
    if (!text->columns.empty()) {
      text->earlier_depths.push_back(static_cast<int>(text->columns.size()));
    }
    text->columns = wanted.columns;
    text->set_by = asker_name(asker);
    text->set_at_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                          self->clock_->wall_now().time_since_epoch())
                          .count();
    if (there) {
      Flight<Stat> write = handle->set(path, to_json(*text), read->stat.version);
      const Result<Stat> written = co_await write.answer();
      const bool again = !written && (written.error().code == "bad_version" ||
                                      written.error().errc == Errc::not_found);
      if (!written && !again) co_return written.error();
      continue;
    }
    const std::vector<std::string> database{path.substr(0, path.rfind('/'))};
    const Result<void> room = co_await make_containers(self->view_, database);
    if (!room) co_return room.error();
    Flight<Created> create = handle->create(path, to_json(*text), NodeKind::container);
    const Result<Created> made = co_await create.answer();
    const bool again =
        !made && (made.error().code == "node_exists" || made.error().errc == Errc::not_found);
    if (!made && !again) co_return made.error();
  }
}

awaitable<Result<bool>> ZooKeeperSession::fix_orders(Self self, RequestPtr request, bool anew) {
  const OwnerInfo asker = request->owner;
  for (const TableColumns& order : request->columns) {
    if (!anew && self->knows(order)) continue;
    Result<bool> fixed = co_await fix_order(self, order, asker);
    if (!fixed || !*fixed) co_return fixed;
  }
  co_return true;
}

// Makes the directories that the request's nodes are to stand in.
awaitable<Result<void>> ZooKeeperSession::make_room(Self self, RequestPtr request) {
  const EnqueuePlan plan = plan_of(*request, self->orders_);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < request->places.size(); ++i) {
    const core::Resource& resource = request->places[i].resource;
    paths.push_back(plan.coarse[i] ? self->view_->tree.coarse(resource)
                                   : self->view_->tree.directory(resource));
  }
  co_return co_await make_containers(self->view_, paths);
}

ZooKeeperSession::Flights ZooKeeperSession::send(const Enqueued& unplaced,
                                                 const EnqueuePlan& plan) {
  const HandlePtr& handle = view_->handle;
  const Tree& tree = view_->tree;
  Flights flights;
  if (!own_node_made_) {
    flights.own_node =
        handle->create(tree.owner(name_), session_json(), NodeKind::ephemeral, Access::own);
  }
  if (plan.in_one_node) {
    flights.one = handle->create(unplaced.nodes.front(), lock_json(unplaced, 0),
                                 NodeKind::ephemeral_sequential);
  } else {
    const SetOperation heartbeat{tree.owner(name_), session_json(), -1};
    flights.step = handle->multi(enqueue_operations(unplaced, heartbeat));
  }
  for (const core::Place& place : unplaced.request->places) {
    flights.members.push_back(handle->children(tree.directory(place.resource)));
  }
  for (const core::Resource& resource : plan.above) {
    flights.above.push_back(handle->children(tree.coarse(resource)));
  }
  for (const core::Resource& resource : plan.unpaired) {
    flights.unpaired.push_back(handle->children(tree.directory(resource)));
  }
  for (const core::Resource& table : plan.tables) {
    flights.tables.push_back(handle->get(tree.directory(table)));
  }
  return flights;
}

awaitable<Result<ZooKeeperSession::EnqueuedPtr>> ZooKeeperSession::placed(Self self,
                                                                          Enqueued unplaced,
                                                                          Flights flights) {
  if (flights.own_node) {
    Flight<Created> own = *flights.own_node;
    const Result<Created> made = co_await own.answer();
    if (!made && made.error().code != "node_exists") co_return made.error();
    self->own_node_made_ = true;
    self->begin_to_hear();
  }
  auto mine = std::make_shared<Enqueued>(std::move(unplaced));
  if (flights.one) {
    Flight<Created> one = *flights.one;
    Result<Created> made = co_await one.answer();
    if (!made) co_return made.error();
    mine->nodes.front() = made->path;
    mine->zxid = made->stat.czxid;
  } else {
    Flight<std::vector<OperationAnswer>> step = *flights.step;
    Result<std::vector<OperationAnswer>> made = co_await step.answer();
    if (!made) co_return made.error();
    // The session's own node was written first: all of the step has its number.
    mine->zxid = made->front().stat.mzxid;
    for (std::size_t i = 0; i < mine->nodes.size(); ++i) mine->nodes[i] = (*made)[i + 1].path;
  }
  self->requests_.insert_or_assign(mine->request->id, mine);
  co_return mine;
}

// Whether every table still has the order that the request relies on, and the earlier depths that
// its looks were made from.
awaitable<Result<bool>> ZooKeeperSession::order_holds(Self self, RequestPtr request,
                                                      EnqueuePlan plan, Flights flights) {
  for (std::size_t i = 0; i < flights.tables.size(); ++i) {
    Flight<NodeData> flight = flights.tables[i];
    Result<NodeData> read = co_await flight.answer();
    if (!read && read.error().errc != Errc::not_found) co_return read.error();
    Result<TableText> text = table_text(read ? read->data : std::string());
    if (!text) co_return text.error();
    const TableColumns& relied = request->columns[i];
    const bool holds = text->columns == relied.columns && text->earlier_depths == plan.depths[i];
    self->orders_.insert_or_assign(core::Resource(relied.table).path(), *std::move(text));
    if (!holds) co_return false;
  }
  co_return true;
}

awaitable<Result<Seen>> ZooKeeperSession::seen(Self self, RequestPtr request, EnqueuePlan plan,
                                               Flights flights) {
  Seen seen;
  for (Flight<Children>& flight : flights.members) {
    Result<Children> read = co_await flight.answer();
    if (!read) co_return read.error();
    seen.members.push_back(*std::move(read));
  }
  for (std::size_t i = 0; i < flights.above.size(); ++i) {
    Flight<Children> flight = flights.above[i];
    Result<Children> read = co_await flight.answer();
    Result<std::optional<Children>> there = if_there(std::move(read));
    if (!there) co_return there.error();
    if (!there->has_value()) continue;
    FoundNodes found = companions(self->view_->tree, plan.above[i], **there);
    std::ranges::move(found, std::back_inserter(seen.elsewhere));
  }
  for (std::size_t i = 0; i < flights.unpaired.size(); ++i) {
    Flight<Children> flight = flights.unpaired[i];
    Result<Children> read = co_await flight.answer();
    if (!read) co_return read.error();
    FoundNodes found = lock_nodes(self->view_->tree, plan.unpaired[i], *read);
    std::ranges::move(found, std::back_inserter(seen.elsewhere));
  }
  for (std::size_t i = 0; i < request->places.size(); ++i) {
    if (!plan.coarse[i]) continue;
    const core::Resource top = request->places[i].resource;
    const std::shared_ptr<std::vector<core::Resource>> nobody_asks;
    Result<FoundNodes> below = co_await walk_below(self->view_, top, nobody_asks);
    if (!below) co_return below.error();
    std::ranges::move(*below, std::back_inserter(seen.elsewhere));
  }
  co_return seen;
}

// Takes back what was enqueued, however long it takes.
awaitable<void> ZooKeeperSession::leave_in_the_end(Self self, EnqueuedPtr request) {
  constexpr runtime::Milliseconds pause{100};
  const runtime::EventPtr wake = self->clock_->make_event();
  self->on_over(wake);
  const std::vector<std::string> paths = request->all_paths();
  while (!self->over().has_value()) {
    const Result<void> removed = co_await remove_all(self, paths);
    if (removed) break;
    const runtime::Alarm alarm = self->clock_->wake_at(self->clock_->after(pause), wake);
    co_await wake->wait();
  }
  self->requests_.erase(request->request->id);
}

// The one flight: nodes, looks, orders. Nothing: a directory was not there, so nothing was made.
awaitable<Result<std::optional<Joined>>> ZooKeeperSession::fly(Self self, RequestPtr request) {
  const EnqueuePlan plan = plan_of(*request, self->orders_);
  const Enqueued nothing_yet = unplaced(self->view_->tree, request, plan);
  const Flights flights = self->send(nothing_yet, plan);
  Result<EnqueuedPtr> mine = co_await placed(self, nothing_yet, flights);
  if (!mine && mine.error().errc == Errc::not_found) {
    // Either a directory is missing, or somebody broke this session.
    Flight<Stat> own = self->view_->handle->exists(self->view_->tree.owner(self->name_));
    const Result<Stat> there = co_await own.answer();
    if (there) co_return std::optional<Joined>();
    if (there.error().errc != Errc::not_found) co_return there.error();
    const Result<void> broken = co_await check_broken(self);
    co_return broken.error();
  }
  if (!mine) co_return mine.error();
  const EnqueuedPtr enqueued = *mine;
  Result<bool> holds = co_await order_holds(self, request, plan, flights);
  Result<Seen> looked = make_error(Errc::invalid, "another order");
  if (holds && *holds) looked = co_await seen(self, request, plan, flights);
  Result<std::vector<StandingTicket>> look = make_error(Errc::invalid, "no look");
  if (looked) {
    const Seen what = *std::move(looked);
    const OwnerInfo self_info = self->self_;
    look = co_await look_ahead(self->view_, enqueued, what, self_info);
  } else {
    look = looked.error();
  }
  Joined joined = joined_of(*enqueued);
  if (look) {
    joined.look = *std::move(look);
    co_return joined;
  }
  const bool other_order = holds && !*holds;
  const Error why = holds ? look.error() : holds.error();
  // The recipe finds what stands after an unknown outcome, and looks then.
  const bool findable = why.errc == Errc::unavailable || why.errc == Errc::lost;
  if (findable && !other_order) co_return why;
  co_await leave_in_the_end(self, enqueued);
  if (!other_order) co_return why;
  joined = Joined();
  joined.columns_changed = true;
  co_return joined;
}

awaitable<Result<Joined>> ZooKeeperSession::join(RequestPtr request) {
  const Self self = shared_from_this();
  if (self->over().has_value()) co_return *self->over();
  // A container may vanish between its making and its use, now and then, but not for ever.
  constexpr int most_goes = 100;
  for (int go = 0; go < most_goes; ++go) {
    // The table's directory may be what was missing. Its order is not forgotten meanwhile: the
    // plans of all requests of the table are made from it.
    const bool anew = go > 0;
    Result<bool> fixed = co_await fix_orders(self, request, anew);
    if (!fixed) co_return fixed.error();
    if (!*fixed) {
      Joined changed;
      changed.columns_changed = true;
      co_return changed;
    }
    if (anew) {
      const Result<void> room = co_await make_room(self, request);
      if (!room) co_return room.error();
    }
    Result<std::optional<Joined>> joined = co_await fly(self, request);
    if (!joined) co_return joined.error();
    if (joined->has_value()) co_return **std::move(joined);
  }
  co_return make_error(Errc::internal,
                       "ZooKeeper removes the directories of this lock faster than they are used: "
                       "raise znode.container.checkIntervalMs of the servers");
}

awaitable<Result<std::optional<Joined>>> ZooKeeperSession::find(RequestPtr request) {
  const Self self = shared_from_this();
  // A write that the quorum confirms: whatever was sent before it has had its effect, or never
  // will. A mere read, and even `sync`, may be answered by a leader that was deposed.
  const Result<void> written = co_await rewrite_own_node(self);
  if (!written) co_return written.error();
  const std::vector<core::Place> places = request->places;
  const std::string id = request->id;
  Result<FoundNodes> found = co_await whole_request(self, id, places);
  if (!found) co_return found.error();
  if (found->empty()) co_return std::optional<Joined>();
  if (found->size() < places.size()) {
    co_return make_error(Errc::lost, "some places of this request were taken away");
  }
  const EnqueuePlan plan = plan_of(*request, self->orders_);
  auto mine = std::make_shared<Enqueued>(unplaced(self->view_->tree, request, plan));
  for (std::size_t i = 0; i < places.size(); ++i) mine->nodes[i] = (*found)[i].path;
  mine->zxid = found->front().content->stat.czxid;
  self->requests_.insert_or_assign(id, mine);
  co_return joined_of(*mine);
}

}  // namespace locker::backends::zookeeper
