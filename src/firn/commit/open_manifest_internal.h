#pragma once

#include <memory>
#include <string>

#include "firn/catalog/catalog.h"
#include "firn/format/manifest/manifest.h"

namespace firn {

/// What a manifest of a commit will hold.
struct NewManifest {
  std::string uri;
  ManifestContent content = ManifestContent::kData;
  int32_t partition_spec_id = 0;
  SnapshotId snapshot_id = 0;
};

/// A manifest of `table` that can be written.
struct OpenManifest {
  TypePtr partition_type;  ///< Of its spec: for reading entries that go into it, too.
  std::unique_ptr<ManifestWriter> writer;
};

/// Begin a manifest in the table's format version, schema and codec.
/// Errors: kCorrupt if the table has no such partition spec; those of creating the file.
Result<OpenManifest> OpenNewManifest(const Table& table, const NewManifest& manifest);

/// What a copy of a manifest's entries depends on: its path and the numbers that they take from it.
/// These are other ones if the manifest list has to be written again, as that of an earlier
/// snapshot of the same transaction, or as row ids come with the first commit of version 3.
std::string CopyKey(const ManifestFile& manifest);

/// The type of the partition values of `manifest`.
/// Errors: kCorrupt if the table has no such partition spec.
Result<TypePtr> PartitionTypeOf(const TableMetadata& metadata, const ManifestFile& manifest);

}  // namespace firn
