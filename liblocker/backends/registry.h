#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include <locker/about.h>
#include <locker/partition_locker.h>

#include "runtime/lock_backend.h"

namespace locker::backends {

// What every backend is made from.
struct BackendContext {
  boost::asio::any_io_executor executor;  // the runtime's one thread
  std::shared_ptr<runtime::Clock> clock;
  OpenOptions options;
  OwnerInfo self;  // this process
};

// The backends that are built in.
std::vector<BackendAbout> built_in();

// Makes the backend of a URL; opens nothing yet. Error: invalid/bad_url (unknown scheme, malformed,
// unknown parameter), with the forms that would be right.
Result<std::unique_ptr<runtime::LockBackend>> make_backend(std::string_view url,
                                                           const BackendContext& context);

}  // namespace locker::backends
