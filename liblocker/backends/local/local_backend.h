#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "backends/local/local_directory.h"
#include "backends/local/store_thread.h"
#include "runtime/lock_backend.h"

namespace locker::backends::local {

// What the backend of a local store is made from.
struct LocalOptions {
  boost::asio::any_io_executor executor;
  std::shared_ptr<runtime::Clock> clock;
  OwnerInfo self;
  std::chrono::milliseconds patience{15000};  // how long a verb waits for other processes
  StoreLocation location;
  std::string boot;  // the id of the running boot; the tests have their own
};

// Locks between the processes of one host, in one directory and without a server: SQLite keeps the
// queue, the kernel says who lives. docs/design/local-backend.md explains it.
class LocalBackend : public runtime::LockBackend {
 public:
  explicit LocalBackend(LocalOptions options);

  runtime::awaitable<Result<runtime::SessionPtr>> open_session(runtime::Deadline deadline) override;
  runtime::Directory& directory() override { return directory_; }
  std::string url() const override;
  std::vector<std::string> warnings() const override;
  void halt() override { thread_->halt(); }

 private:
  LocalOptions options_;
  StoreThreadPtr thread_;
  LocalDirectory directory_;
};

}  // namespace locker::backends::local
