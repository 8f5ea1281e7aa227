#pragma once

#include <string>

#include "firn/ingest/ingest.h"

namespace firn {

/// Refuse a folder in which a table is to be made if another one is there, around it or in it: one
/// of the catalog, or one whose metadata lies there, or that is being made there. What is in the
/// folder's own metadata folder is not looked at. Tells of tables that took over files in it.
/// Errors: kAlreadyExists naming the other; those of listing.
Status CheckPlaceOfTable(const IngestContext& context, const TableName& own,
                         const std::string& folder);

}  // namespace firn
