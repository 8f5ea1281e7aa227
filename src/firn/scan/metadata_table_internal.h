#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firn/scan/metadata_table.h"

/// What the files of metadata tables share. For this module only. A table is one function that
/// describes it and one line of metadata_tables.def.

namespace firn {

#define FIRN_METADATA_TABLE(describe) MetadataTable describe();
#include "firn/scan/metadata_tables.def"
#undef FIRN_METADATA_TABLE

NestedField RequiredField(int32_t id, std::string name, TypePtr type);
NestedField OptionalField(int32_t id, std::string name, TypePtr type);

/// map<int, T> and the like: keys and values have the ids `id` and `id` + 1.
TypePtr MapType(int32_t id, TypePtr key, TypePtr value);

/// Microseconds, as `timestamptz` values are.
Value ToTimestamptz(Timestamp time);

template <typename T>
Value ToValue(const std::optional<T>& value) {
  return value ? Value(*value) : Value();
}

/// All partition fields of all specs; a table without any has no partition columns.
TypePtr TablePartitionType(const TableMetadata& metadata);

/// Type of the values in the manifest's partition tuples. Errors: kCorrupt: no such spec.
struct ManifestSpec {
  PartitionSpecPtr spec;
  TypePtr partition_type;
};
Result<ManifestSpec> FindManifestSpec(const TableMetadata& metadata, const ManifestFile& manifest);

/// Manifests of the snapshot that the request selects; of none if the table is empty.
Result<std::vector<ManifestFile>> ReadSelectedManifests(const MetadataTableRequest& request);

/// Manifests of all snapshots, each once. Errors: kInvalidInput if the request selects a snapshot.
Result<std::vector<ManifestFile>> ReadAllManifests(const MetadataTableRequest& request);

/// An error if the request selects a snapshot, since `table` shows all of them.
Status RefuseSelector(const MetadataTableRequest& request, std::string_view table);

/// Makes the rows of one manifest.
using ManifestRows =
    std::function<Status(const ManifestFile& manifest, std::vector<StructValue>& rows)>;

/// Make rows of several manifests at once and hand them over in the order of the manifests; no more
/// manifests are held than the executor works on.
Status VisitManifestRows(const MetadataTableRequest& request,
                         const std::vector<ManifestFile>& manifests, const ManifestRows& make,
                         const RowVisitor& visit);

}  // namespace firn
