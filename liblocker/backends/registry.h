#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

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

// What a backend promises; what it does not is refused with `unsupported`, never weakened.
struct BackendFacts {
  std::string scheme;        // "local"
  std::string url_form;      // "local:[/dir]"
  std::string what;          // half a sentence
  std::string liveness;      // how a dead holder is told from a living one
  std::string order;         // in what order waiters are served
  std::string not_promised;  // what a user must not rely on
  std::string library;       // the client library and its version
};

// The backends that are built in.
std::vector<BackendFacts> built_in();

// Makes the backend of a URL; opens nothing yet. Error: invalid/bad_url (unknown scheme, malformed,
// unknown parameter), with the forms that would be right.
Result<std::unique_ptr<runtime::LockBackend>> make_backend(std::string_view url,
                                                           const BackendContext& context);

}  // namespace locker::backends
