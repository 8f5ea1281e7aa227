#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firn/catalog/catalog.h"

namespace firn {

/// One kind of catalog. `catalog/<type>_catalog.cc` exports a function that returns it, and
/// `catalogs.def` lists that function.
struct CatalogType {
  std::string type;                  ///< "sql"
  std::vector<std::string> aliases;  ///< Other texts for it: "jdbc", Java's class names.
  Result<std::unique_ptr<Catalog>> (*open)(const CatalogConfig& config) = nullptr;
  std::string summary;
};

// Declare every line of catalogs.def.
#define FIRN_CATALOG(describe) CatalogType describe();
#include "firn/catalog/catalogs.def"
#undef FIRN_CATALOG

}  // namespace firn
