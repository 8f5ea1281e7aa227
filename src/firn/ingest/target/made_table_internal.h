#pragma once

#include <optional>

#include "firn/catalog/catalog.h"

namespace firn {

/// A run that made `made` has failed: forget the table and delete its metadata file, unless someone
/// has put a snapshot into it or it is another one by now. Returns the table as it was if it is
/// gone; its folders are left to the caller. What cannot be undone is logged.
std::optional<Table> TakeBackMadeTable(Catalog& catalog, const Table& made);

}  // namespace firn
