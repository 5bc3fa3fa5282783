#include "ids.h"

#include <string>

#include "core/random_id.h"

namespace locker {
namespace simulation {
namespace {

Random* id_source = nullptr;

}  // namespace

void draw_ids_from(Random* random) {
  id_source = random;
}

}  // namespace simulation

// Stands in for the library's own, which asks the kernel.
std::string core::random_id() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string id;
  for (int half = 0; half < 2; ++half) {
    std::uint64_t bits = simulation::id_source->next();
    for (int digit = 0; digit < 16; ++digit, bits >>= 4U) id += digits[bits & 15U];
  }
  return id;
}

}  // namespace locker
