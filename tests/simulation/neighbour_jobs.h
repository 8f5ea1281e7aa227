#pragma once

namespace firn::simulation {

struct Scene;

/// What others wrote is there, and so are all tables that were made of it.
void CheckFolders(Scene& scene);

}  // namespace firn::simulation
