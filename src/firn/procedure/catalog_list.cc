#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Value PropertyOrNull(const Properties& properties, std::string_view key) {
  const auto found = properties.find(key);
  return found == properties.end() ? Value() : Value(found->second);
}

// Without user and password, and without a query, which may hold them too.
Value UriWithoutSecrets(const Properties& properties) {
  const auto found = properties.find("uri");
  if (found == properties.end()) return {};
  std::string uri = found->second.substr(0, found->second.find('?'));
  const size_t host = uri.find("://");
  if (host == std::string::npos) return uri;
  const size_t path = uri.find('/', host + 3);
  const size_t at = uri.rfind('@', path);
  if (at != std::string::npos && at > host) uri.erase(host + 3, at - host - 2);
  return uri;
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments&) {
  std::vector<StructValue> rows;
  for (const CatalogConfig& config : context.session->catalogs()) {
    rows.push_back({{config.name, config.type, UriWithoutSecrets(config.properties),
                     PropertyOrNull(config.properties, "warehouse")}});
  }
  return MakeOutput(MakeRowType({{"catalog", TextType()},
                                 {"type", TextType()},
                                 {"uri", TextType()},
                                 {"warehouse", TextType()}}),
                    std::move(rows));
}

}  // namespace

Procedure DescribeCatalogList() {
  return {.command = {"catalog", "list"},
          .call_name = "catalog_list",
          .summary = "List the configured catalogs.",
          .arguments = {},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
