#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "backends/zookeeper/reading.h"
#include "backends/zookeeper/relay/relay.h"
#include "backends/zookeeper/zookeeper_directory.h"
#include "core/url.h"
#include "runtime/lock_backend.h"

namespace locker::backends::zookeeper {

// What the backend of an ensemble is made from.
struct ZooKeeperOptions {
  boost::asio::any_io_executor executor;
  std::shared_ptr<runtime::Clock> clock;
  OwnerInfo self;
  runtime::Milliseconds connect_timeout{15000};
  runtime::Milliseconds session_timeout{30000};
  std::vector<core::UrlHost> servers;  // each with its port
  std::string chroot;                  // empty, or "/lake"
  std::string url;                     // with every default filled in
  Identity identity;
  std::optional<TlsOptions> tls;  // nothing: plain TCP
  // Whether the C client goes by a relay: always with TLS, which it can't do itself, and where one
  // dead server of several would otherwise cost a session.
  bool relays = false;
};

// Locks in an Apache ZooKeeper ensemble, for jobs on many hosts.
// docs/design/zookeeper-backend.md explains the protocol, docs/format-zookeeper.md the nodes.
class ZooKeeperBackend : public runtime::LockBackend {
 public:
  explicit ZooKeeperBackend(ZooKeeperOptions options);

  runtime::awaitable<Result<runtime::SessionPtr>> open_session(runtime::Deadline deadline) override;
  runtime::Directory& directory() override { return directory_; }
  std::string url() const override { return options_.url; }
  std::vector<std::string> warnings() const override;
  std::vector<std::string> advice() const override;

  // A living connection to read by, made if there is none. Errors: unavailable, unauthorized,
  // mismatch.
  runtime::awaitable<Result<ViewPtr>> view();
  const ZooKeeperOptions& options() const { return options_; }

 private:
  runtime::awaitable<Result<ViewPtr>> connect(runtime::Deadline deadline);
  runtime::awaitable<Result<void>> prepare(ViewPtr view);
  // What the C client connects to: the relay, or the servers themselves.
  Result<std::string> client_servers();
  Error why_not_connected(const Error& told) const;

  ZooKeeperOptions options_;
  ZooKeeperDirectory directory_;
  std::unique_ptr<Relay> relay_;
  std::shared_ptr<ProcessBook> processes_;
  ViewPtr view_;           // of the newest session
  bool prepared_ = false;  // the root is there, and of a version that we understand
  // It was not there before us. Written on the runtime's thread, before anybody can ask.
  std::atomic<bool> made_tree_ = false;
};

}  // namespace locker::backends::zookeeper
