#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace locker {

// What a backend promises; what it does not is refused with `unsupported`, never weakened.
struct BackendAbout {
  std::string scheme;        // "local"
  std::string url_form;      // "local:[/dir]"
  std::string what;          // half a sentence
  std::string liveness;      // how a dead holder is told from a living one
  std::string order;         // in what order waiters are served
  std::string not_promised;  // what a user must not rely on
  std::string library;       // the client library and its version
};

// The version of this library, e.g. "0.1.0".
std::string_view version();

// The backends that are built in.
std::vector<BackendAbout> built_in_backends();

}  // namespace locker
