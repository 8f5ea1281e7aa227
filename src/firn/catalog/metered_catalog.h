#pragma once

#include <memory>

#include "firn/catalog/catalog.h"
#include "firn/io/metered_file_io.h"

namespace firn {

/// `inner`, whose tables come with files that `meter` counts. What the catalog itself reads and
/// writes, metadata files, is not counted.
std::shared_ptr<Catalog> MakeMeteredCatalog(std::shared_ptr<Catalog> inner,
                                            std::shared_ptr<IoMeter> meter);

}  // namespace firn
