#pragma once

#include "random.h"

namespace locker::simulation {

// Where core::random_id gets its bits from in this program: one seed is one run, ids included.
void draw_ids_from(Random* random);

}  // namespace locker::simulation
