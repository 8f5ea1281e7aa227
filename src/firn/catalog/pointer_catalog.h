#pragma once

#include <memory>

#include "firn/catalog/catalog.h"
#include "firn/catalog/pointer_store.h"

namespace firn {

/// A catalog whose tables are rows of `store`. Commits write a new metadata file under a fresh
/// name and move the row to it; an unclear answer of the store is resolved by asking again, since
/// moving the row from `base` to `next` twice does no harm.
///
/// Properties  `warehouse`: where tables go whose namespace has no `location`;
///             `unique-table-location`: append a UUID to these; `table-default.K`,
///             `table-override.K`: properties of new tables.
std::unique_ptr<Catalog> MakePointerCatalog(CatalogConfig config,
                                            std::unique_ptr<PointerStore> store);

}  // namespace firn
