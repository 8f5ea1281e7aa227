#include <algorithm>

#include "firn/catalog/catalog.h"
#include "firn/catalog/registry_internal.h"

namespace firn {
namespace {

const std::vector<CatalogType>& CatalogTypes() {
  static const std::vector<CatalogType> kTypes = {
#define FIRN_CATALOG(describe) describe(),
#include "firn/catalog/catalogs.def"
#undef FIRN_CATALOG
  };
  return kTypes;
}

Result<const CatalogType*> FindCatalogType(std::string_view text) {
  std::string known;
  for (const CatalogType& type : CatalogTypes()) {
    if (type.type == text ||
        std::find(type.aliases.begin(), type.aliases.end(), text) != type.aliases.end()) {
      return &type;
    }
    known += known.empty() ? "" : ", ";
    known += type.type;
  }
  return MakeError(ErrorCode::kInvalidInput, "type is '{}', expected one of {}", text, known);
}

}  // namespace

Result<std::string> ResolveCatalogType(std::string_view text) {
  FIRN_ASSIGN(const CatalogType* type, FindCatalogType(text));
  return type->type;
}

Result<std::unique_ptr<Catalog>> OpenCatalog(const CatalogConfig& config) {
  FIRN_ASSIGN(const CatalogType* type, FindCatalogType(config.type), "catalog '{}'", config.name);
  auto catalog = type->open(config);
  if (!catalog.ok()) return catalog.error().Within("catalog '" + config.name + "'");
  return catalog;
}

}  // namespace firn
