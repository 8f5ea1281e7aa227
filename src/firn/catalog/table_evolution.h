#pragma once

#include <span>
#include <string>
#include <vector>

#include "firn/base/random.h"
#include "firn/catalog/catalog.h"
#include "firn/catalog/table_update.h"
#include "firn/format/evolution/schema_change.h"
#include "firn/format/metadata/partition_change.h"

/// Changes of what a table is, as updates for `Catalog::Commit`. Pure: they look at the metadata
/// that they are given and read nothing else. No updates: nothing would change.

namespace firn {

/// Properties that name columns, and the name mapping, follow. Errors: as `EvolveSchema`.
Result<std::vector<TableUpdate>> PlanSchemaChange(const TableMetadata& metadata,
                                                  std::span<const SchemaChange> changes);

/// Errors: as `EvolvePartitionSpec`.
Result<std::vector<TableUpdate>> PlanPartitionChange(const TableMetadata& metadata,
                                                     std::span<const PartitionChange> changes);

/// No terms: the table becomes unsorted. Errors: as `MakeSortOrder`.
Result<std::vector<TableUpdate>> PlanSortOrder(const TableMetadata& metadata,
                                               const std::vector<SortTerm>& terms);

/// `random` makes the UUID that only tables of version 1 may lack. Errors: kInvalidInput if the
/// version would fall; kUnsupported if firn cannot write it.
Result<std::vector<TableUpdate>> PlanUpgrade(const TableMetadata& metadata, int format_version,
                                             Random& random);

/// `format-version` among the properties upgrades the table and is not stored. Errors:
/// kInvalidInput: a reserved name, a value that the property cannot have, or a metrics property of
/// a missing column.
Result<std::vector<TableUpdate>> PlanSetProperties(const TableMetadata& metadata,
                                                   Properties properties, Random& random);

/// The table becomes what `request` says, and empty: `main` names no snapshot any more. Snapshots,
/// other branches and tags, logs, and properties that the request does not name stay. Columns keep
/// the ids of columns of the same name; a type that old files cannot be read as, and a new name,
/// get new ids. The location stays unless the request has one. Errors: kInvalidInput, as for a new
/// table; a format version below that of the table.
Result<std::vector<TableUpdate>> PlanReplaceTable(const TableMetadata& metadata,
                                                  const CreateTableRequest& request);

/// The requirements under which `updates` may be applied to the table that `base` is, as Java has
/// them: the same table, and nobody assigned the ids or moved the defaults and refs that they count
/// on. Beyond Java's: every ref where snapshots go, default spec and sort order where columns go.
std::vector<TableRequirement> MakeRequirements(const TableMetadata& base,
                                               std::span<const TableUpdate> updates);

}  // namespace firn
