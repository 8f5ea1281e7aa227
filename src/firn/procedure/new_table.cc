#include "firn/procedure/new_table_internal.h"

namespace firn {

Status PrepareNamespace(ProcedureContext& context, const TableReference& reference) {
  const Namespace& levels = reference.name.levels;
  const auto known = reference.catalog->LoadNamespace(levels);
  if (known.ok() || known.error().code() != ErrorCode::kNotFound) {
    return known.ok() ? Status() : Status(known.error());
  }
  const std::string name = FormatNamespace(levels);
  if (reference.catalog_name != "local") {
    return MakeError(ErrorCode::kNotFound,
                     "namespace '{}' does not exist in catalog '{}'; make it first: firn namespace "
                     "create {}.{}",
                     name, reference.catalog_name, reference.catalog_name, name);
  }
  const Status created = reference.catalog->CreateNamespace(levels, {});
  if (!created.ok() && created.error().code() != ErrorCode::kAlreadyExists) return created;
  if (context.notice) context.notice(fmt::format("created namespace '{}'", name));
  return {};
}

}  // namespace firn
