#include "backends/zookeeper/zookeeper_backend.h"

#include <utility>

#include "backends/zookeeper/zookeeper_session.h"
#include "core/visible_text.h"

namespace locker::backends::zookeeper {

using runtime::awaitable;
using runtime::SessionPtr;

namespace {

constexpr int our_version = 1;

// Every path from the root of the ensemble down to the places that we keep things in.
std::vector<std::string> permanent_paths(const Tree& tree) {
  std::vector<std::string> paths;
  const std::string& root = tree.root();
  for (std::size_t end = 0; end != std::string::npos;) {
    end = root.find('/', end + 1);
    paths.push_back(root.substr(0, end));
  }
  paths.insert(paths.end(), {tree.owners(), tree.waits(), tree.all_broken(), tree.records()});
  return paths;
}

Error refused_identity(const Error& error, const ZooKeeperOptions& options) {
  std::string text = options.url + " refuses access below " + options.chroot + "/hive_locks: ";
  text += options.identity.digest.empty()
              ? "name the identity that the lockers of this tree share, with ?auth_file=/path"
              : "the identity in the auth file is not one of those that this tree belongs to";
  static_cast<void>(error);
  return make_error(Errc::unauthorized, text);
}

}  // namespace

ZooKeeperBackend::ZooKeeperBackend(ZooKeeperOptions options)
    : options_(std::move(options)),
      directory_(*this),
      processes_(std::make_shared<ProcessBook>()) {}

// Makes what everything else stands on, the version last: whoever finds that finds the rest.
awaitable<Result<void>> ZooKeeperBackend::prepare(ViewPtr view) {
  const Tree& tree = view->tree;
  // Lockers that start at the same time make it together.
  while (true) {
    Flight<NodeData> look = view->handle->get(tree.format());
    const Result<NodeData> read = co_await look.answer();
    if (read) {
      const Result<FormatText> format = format_text(read->data);
      if (!format) co_return format.error();
      if (format->least_reader > our_version) {
        co_return make_error(Errc::mismatch,
                             tree.root() + " is kept in format " + std::to_string(format->version) +
                                 ", which this version of locker does not understand: update it");
      }
      co_return Result<void>();
    }
    if (read.error().errc == Errc::unauthorized) co_return refused_identity(read.error(), options_);
    if (read.error().errc != Errc::not_found) co_return read.error();
    std::vector<Flight<Created>> flights;
    for (const std::string& path : permanent_paths(tree)) {
      flights.push_back(view->handle->create(path, "", NodeKind::persistent));
    }
    flights.push_back(
        view->handle->create(tree.format(), to_json(FormatText{}), NodeKind::persistent));
    for (Flight<Created>& flight : flights) {
      const Result<Created> made = co_await flight.answer();
      if (made) made_tree_ = made->path == tree.format();
      if (made || made.error().code == "node_exists") continue;
      if (made.error().errc == Errc::unauthorized) {
        co_return refused_identity(made.error(), options_);
      }
      co_return made.error();
    }
  }
}

Result<std::string> ZooKeeperBackend::client_servers() {
  if (!options_.relays) {
    std::string servers;
    for (const core::UrlHost& host : options_.servers) {
      if (!servers.empty()) servers += ",";
      const bool ipv6 = host.name.find(':') != std::string::npos;
      servers += ipv6 ? "[" + host.name + "]" : host.name;
      servers += ":" + std::to_string(host.port.value_or(0));
    }
    return servers;
  }
  if (relay_ == nullptr) {
    RelayOptions options;
    options.servers = options_.servers;
    options.tls = options_.tls;
    options.session_timeout = options_.session_timeout;
    Result<std::unique_ptr<Relay>> relay = Relay::start(std::move(options));
    if (!relay) return relay.error();
    relay_ = *std::move(relay);
  }
  return "127.0.0.1:" + std::to_string(relay_->port());
}

// The C client knows of the relay alone; the relay knows of the servers.
Error ZooKeeperBackend::why_not_connected(const Error& told) const {
  if (relay_ == nullptr || told.errc != Errc::unavailable) return told;
  if (const std::optional<Error> failure = relay_->last_failure()) return *failure;
  return make_error(Errc::unavailable, "no server of " + options_.url + " answered in time");
}

awaitable<Result<ViewPtr>> ZooKeeperBackend::connect(runtime::Deadline deadline) {
  Result<std::string> servers = client_servers();
  if (!servers) co_return servers.error();
  HandleOptions options;
  options.executor = options_.executor;
  options.clock = options_.clock;
  options.servers = *std::move(servers);
  options.session_timeout = options_.session_timeout;
  options.identity = options_.identity;
  Result<HandlePtr> handle = Handle::start(std::move(options));
  if (!handle) co_return handle.error();
  const HandlePtr connecting = *handle;
  Result<void> connected = co_await connecting->connected(deadline);
  const auto view =
      std::make_shared<const View>(View{connecting, Tree(options_.chroot), processes_});
  if (connected && !prepared_) {
    connected = co_await prepare(view);
    if (connected) prepared_ = true;
  }
  if (!connected) {
    co_await connecting->close();
    co_return why_not_connected(connected.error());
  }
  view_ = view;
  co_return ViewPtr(view);
}

awaitable<Result<SessionPtr>> ZooKeeperBackend::open_session(runtime::Deadline deadline) {
  Result<ViewPtr> view = co_await connect(deadline);
  if (!view) co_return view.error();
  ZooKeeperSession::Parts parts;
  parts.executor = options_.executor;
  parts.clock = options_.clock;
  parts.view = *view;
  parts.self = options_.self;
  const auto session = std::make_shared<ZooKeeperSession>(std::move(parts));
  session->start();
  co_return SessionPtr(session);
}

awaitable<Result<ViewPtr>> ZooKeeperBackend::view() {
  if (view_ != nullptr && !view_->handle->over().has_value()) co_return view_;
  const runtime::Deadline deadline = options_.clock->after(options_.connect_timeout);
  co_return co_await connect(deadline);
}

// A chroot with a typing error makes a tree of its own, in which nobody excludes anybody.
std::vector<std::string> ZooKeeperBackend::warnings() const {
  if (!made_tree_) return {};
  return {"The lock tree at " + core::visible_text(options_.url) +
          " is new: it was made just now; if others lock there already, the chroot in this URL is "
          "not theirs."};
}

std::vector<std::string> ZooKeeperBackend::advice() const {
  if (!options_.identity.digest.empty()) return {};
  return {"The lock tree at " + core::visible_text(options_.url) +
          " is open to everyone who reaches the servers; to keep strangers out, give all lockers "
          "one identity with ?auth_file=/path."};
}

}  // namespace locker::backends::zookeeper
