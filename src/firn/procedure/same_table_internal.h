#pragma once

#include <optional>

#include "firn/procedure/procedure.h"

namespace firn {

/// Another name in the namespace of `reference` under which its catalog has the same table: one
/// with its metadata file or its uuid. A help, no promise: tables that cannot be read are passed
/// over, and so are namespaces of very many tables.
std::optional<TableName> FindSameTable(Session& session, const TableReference& reference,
                                       const Table& table);

}  // namespace firn
