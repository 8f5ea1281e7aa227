#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/check.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/table_metadata.h"

/// For tests and benchmarks: a table that is nothing but metadata and real manifests.

namespace firn {

class ManifestTable {
 public:
  struct Manifest {
    ManifestContent content = ManifestContent::kData;
    int32_t spec_id = 0;
    std::vector<ManifestEntry> entries;
  };

  ManifestTable(FileIO& io, SchemaPtr schema, std::vector<PartitionSpec> specs,
                int format_version = 2)
      : io_(io) {
    metadata_.format_version = format_version;
    metadata_.table_uuid = "9c12d441-03fe-4693-9a96-a0705ddf69c1";
    metadata_.location = "memory:/t";
    metadata_.schemas = {std::move(schema)};
    metadata_.current_schema_id = metadata_.schemas[0]->schema_id();
    for (PartitionSpec& spec : specs)
      metadata_.partition_specs.push_back(std::make_shared<const PartitionSpec>(std::move(spec)));
    metadata_.default_spec_id = metadata_.partition_specs.back()->spec_id;
    metadata_.sort_orders = {SortOrder{}};
  }

  /// An entry of a file that this commit adds.
  static ManifestEntry Added(std::string path, std::vector<Value> partition = {}) {
    ManifestEntry entry;
    entry.file.file_path = std::move(path);
    entry.file.partition.fields = std::move(partition);
    entry.file.record_count = 10;
    entry.file.file_size_in_bytes = 1000;
    return entry;
  }
  static ManifestEntry PositionDelete(std::string path, std::vector<Value> partition = {}) {
    ManifestEntry entry = Added(std::move(path), std::move(partition));
    entry.file.content = FileContent::kPositionDeletes;
    entry.file.record_count = 2;
    return entry;
  }
  static ManifestEntry EqualityDelete(std::string path, std::vector<int32_t> ids,
                                      std::vector<Value> partition = {}) {
    ManifestEntry entry = PositionDelete(std::move(path), std::move(partition));
    entry.file.content = FileContent::kEqualityDeletes;
    entry.file.equality_ids = std::move(ids);
    return entry;
  }
  static ManifestEntry DeletionVector(std::string path, std::string data_file,
                                      std::vector<Value> partition = {}) {
    ManifestEntry entry = PositionDelete(std::move(path), std::move(partition));
    entry.file.file_format = FileFormat::kPuffin;
    entry.file.referenced_data_file = std::move(data_file);
    entry.file.content_offset = 4;
    entry.file.content_size_in_bytes = 50;
    return entry;
  }

  /// A snapshot with these manifests besides those of the last one; its sequence number is one
  /// higher.
  SnapshotId Commit(std::vector<Manifest> added) {
    const SnapshotId id = ++metadata_.last_sequence_number;
    for (Manifest& manifest : added)
      manifests_.push_back(Write(id, manifest));
    return Finish(id);
  }

  SnapshotId CommitData(std::vector<ManifestEntry> entries, int32_t spec_id = 0) {
    return Commit({{.spec_id = spec_id, .entries = std::move(entries)}});
  }
  SnapshotId CommitDeletes(std::vector<ManifestEntry> entries, int32_t spec_id = 0) {
    return Commit({{ManifestContent::kDeletes, spec_id, std::move(entries)}});
  }

  const TableMetadata& metadata() const { return metadata_; }
  TableMetadata& mutable_metadata() { return metadata_; }
  const std::vector<ManifestFile>& manifests() const { return manifests_; }

 private:
  template <typename T>
  static T Take(Result<T> result) {
    if (!result.ok()) std::fputs((result.error().Format() + "\n").c_str(), stderr);
    return std::move(result).value();
  }

  ManifestFile Write(SnapshotId id, const Manifest& manifest) {
    const PartitionSpecPtr spec = metadata_.FindSpec(manifest.spec_id);
    const std::string uri =
        "memory:/t/metadata/" + std::to_string(id) + "-m" + std::to_string(++count_) + ".avro";
    auto writer = Take(
        MakeManifestWriter(io_, uri,
                           {.format_version = metadata_.format_version,
                            .content = manifest.content,
                            .schema = metadata_.current_schema(),
                            .spec = spec,
                            .partition_type = PartitionType(*spec, metadata_.SchemasNewestFirst()),
                            .snapshot_id = id}));
    for (const ManifestEntry& entry : manifest.entries) {
      const Status status = writer->Add(entry);
      if (!status.ok()) std::fputs((status.error().Format() + "\n").c_str(), stderr);
      FIRN_CHECK(status.ok());
    }
    return Take(writer->Finish());
  }

  SnapshotId Finish(SnapshotId id) {
    Snapshot snapshot{.snapshot_id = id,
                      .sequence_number = metadata_.format_version > 1 ? id : 0,
                      .timestamp = Timestamp(std::chrono::milliseconds(1'800'000'000'000 + id)),
                      .manifest_list = "memory:/t/metadata/snap-" + std::to_string(id) + ".avro",
                      .operation = "append",
                      .schema_id = metadata_.current_schema_id};
    if (metadata_.current_snapshot_id) snapshot.parent_snapshot_id = metadata_.current_snapshot_id;
    ManifestListOptions options{.format_version = metadata_.format_version,
                                .snapshot_id = id,
                                .parent_snapshot_id = snapshot.parent_snapshot_id,
                                .sequence_number = snapshot.sequence_number};
    if (metadata_.format_version >= 3) options.first_row_id = metadata_.next_row_id;
    const int64_t next = Take(WriteManifestList(io_, snapshot.manifest_list, options, manifests_));
    if (metadata_.format_version >= 3) metadata_.next_row_id = next;
    metadata_.snapshot_log.push_back({snapshot.timestamp, id});
    metadata_.snapshots.push_back(std::move(snapshot));
    metadata_.current_snapshot_id = id;
    metadata_.refs["main"] = {.snapshot_id = id};
    return id;
  }

  FileIO& io_;
  TableMetadata metadata_;
  std::vector<ManifestFile> manifests_;
  int count_ = 0;
};

}  // namespace firn
