#include "backends/zookeeper/handle.h"

#include <utility>

#include "backends/zookeeper/access_rights.h"
#include "backends/zookeeper/client_link.h"
#include "backends/zookeeper/server_list.h"

namespace locker::backends::zookeeper {

Result<std::shared_ptr<Handle>> Handle::start(HandleOptions options) {
  const Result<std::string> servers = client_servers(options.servers);
  if (!servers) return servers.error();
  Result<AccessRights> rights = AccessRights::of(options.identity);
  if (!rights) return rights.error();
  return std::shared_ptr<Handle>(new Handle(std::move(options), *std::move(rights), *servers));
}

Handle::Handle(HandleOptions options, AccessRights rights, const std::string& client_servers)
    : options_(std::move(options)),
      rights_(std::make_unique<const AccessRights>(std::move(rights))),
      opened_at_(options_.clock->boot_now()),
      link_(ClientLink::open({options_.executor, client_servers,
                              static_cast<int>(options_.session_timeout.count()),
                              options_.identity.digest})) {}

Handle::~Handle() = default;

boost::asio::awaitable<Result<void>> Handle::connected(runtime::Deadline deadline) {
  const std::shared_ptr<Handle> self = shared_from_this();
  const runtime::EventPtr changed = options_.clock->make_event();
  const runtime::Alarm alarm = options_.clock->wake_at(deadline, changed);
  link_->on_over(changed);
  link_->on_contact(changed);
  while (true) {
    if (link_->over()) co_return *link_->over();
    if (link_->is_ready()) co_return Result<void>();
    if (options_.clock->now() >= deadline.at) co_return not_connected();
    co_await changed->wait();
  }
}

Error Handle::not_connected() const {
  const std::string trouble = link_->trouble();
  return make_error(Errc::unavailable, "No ZooKeeper server among " + options_.servers +
                                           " answered in time" +
                                           (trouble.empty() ? "" : " (" + trouble + ")") +
                                           "; is it running, and is this its address?");
}

std::int64_t Handle::session_id() const {
  return link_->session_id();
}

runtime::Milliseconds Handle::timeout() const {
  return runtime::Milliseconds(link_->timeout_ms());
}

const std::optional<Error>& Handle::over() const {
  return link_->over();
}

void Handle::on_over(const runtime::EventPtr& event) {
  link_->on_over(event);
}

void Handle::on_contact(const runtime::EventPtr& event) {
  link_->on_contact(event);
}

bool Handle::in_contact() const {
  return link_->in_contact();
}

std::uint64_t Handle::requests() const {
  return link_->requests();
}

boost::asio::awaitable<void> Handle::close() {
  const std::shared_ptr<Handle> self = shared_from_this();
  const runtime::EventPtr closed = link_->close();
  if (closed == nullptr) co_return;
  co_await closed->wait();
}

}  // namespace locker::backends::zookeeper
