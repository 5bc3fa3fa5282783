#include <locker/about.h>

#include "backends/registry.h"

namespace locker {

std::string_view version() {
  return LOCKER_VERSION;
}

std::vector<BackendAbout> built_in_backends() {
  std::vector<BackendAbout> all;
  for (backends::BackendFacts& facts : backends::built_in()) {
    all.push_back({std::move(facts.scheme), std::move(facts.url_form), std::move(facts.what),
                   std::move(facts.liveness), std::move(facts.order), std::move(facts.not_promised),
                   std::move(facts.library)});
  }
  return all;
}

}  // namespace locker
