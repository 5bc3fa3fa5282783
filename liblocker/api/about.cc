#include <locker/about.h>

#include "backends/registry.h"

namespace locker {

std::string_view version() {
  return LOCKER_VERSION;
}

std::vector<BackendAbout> built_in_backends() {
  return backends::built_in();
}

}  // namespace locker
