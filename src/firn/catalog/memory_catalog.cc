#include <memory>

#include "firn/catalog/pointer_catalog.h"
#include "firn/catalog/pointer_store.h"
#include "firn/catalog/registry_internal.h"

namespace firn {
namespace {

Result<std::unique_ptr<Catalog>> Open(const CatalogConfig& config) {
  return MakePointerCatalog(config, MakeMemoryStore());
}

}  // namespace

CatalogType DescribeMemoryCatalog() {
  return {.type = "memory",
          .aliases = {"in-memory", "org.apache.iceberg.inmemory.InMemoryCatalog"},
          .open = Open,
          .summary = "names that live as long as the process"};
}

}  // namespace firn
