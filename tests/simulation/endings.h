#pragma once

#include "actor.h"

namespace firn::simulation {

/// When all is over, some tables are forgotten and registered again, and some dropped with all
/// their files, while those of a neighbour stay.
void EndTable(Scene& scene, Random& random);

}  // namespace firn::simulation
