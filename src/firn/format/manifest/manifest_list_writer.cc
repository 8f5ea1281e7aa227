#include <algorithm>
#include <utility>

#include "firn/format/avro/avro_value.h"
#include "firn/format/avro/avro_writer.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/manifest/manifest_schema_internal.h"

namespace firn {
namespace {

void AppendOptionalBytes(std::string& out, const std::optional<std::string>& value) {
  AppendAvroLong(out, value ? 1 : 0);
  if (value) AppendAvroBytes(out, *value);
}

void AppendOptionalLong(std::string& out, const std::optional<int64_t>& value) {
  AppendAvroLong(out, value ? 1 : 0);
  if (value) AppendAvroLong(out, *value);
}

void AppendSummaries(std::string& out, const std::optional<std::vector<FieldSummary>>& summaries) {
  AppendAvroLong(out, summaries ? 1 : 0);
  if (!summaries) return;
  if (!summaries->empty()) AppendAvroLong(out, static_cast<int64_t>(summaries->size()));
  for (const FieldSummary& summary : *summaries) {
    out += summary.contains_null ? '\1' : '\0';
    AppendAvroLong(out, summary.contains_nan ? 1 : 0);
    if (summary.contains_nan) out += *summary.contains_nan ? '\1' : '\0';
    AppendOptionalBytes(out, summary.lower_bound);
    AppendOptionalBytes(out, summary.upper_bound);
  }
  AppendAvroLong(out, 0);
}

void EncodeV1(const ManifestFile& manifest, std::string& out) {
  AppendAvroBytes(out, manifest.manifest_path);
  AppendAvroLong(out, manifest.manifest_length);
  AppendAvroLong(out, manifest.partition_spec_id);
  AppendAvroLong(out, manifest.added_snapshot_id);
  AppendOptionalLong(out, manifest.added_files_count);
  AppendOptionalLong(out, manifest.existing_files_count);
  AppendOptionalLong(out, manifest.deleted_files_count);
  AppendSummaries(out, manifest.partitions);
  AppendOptionalLong(out, manifest.added_rows_count);
  AppendOptionalLong(out, manifest.existing_rows_count);
  AppendOptionalLong(out, manifest.deleted_rows_count);
  AppendOptionalBytes(out, manifest.key_metadata);
}

// All counts are known.
void Encode(const ManifestFile& manifest, int format_version, std::string& out) {
  AppendAvroBytes(out, manifest.manifest_path);
  AppendAvroLong(out, manifest.manifest_length);
  AppendAvroLong(out, manifest.partition_spec_id);
  AppendAvroLong(out, static_cast<int64_t>(manifest.content));
  AppendAvroLong(out, manifest.sequence_number);
  AppendAvroLong(out, manifest.min_sequence_number);
  AppendAvroLong(out, manifest.added_snapshot_id);
  AppendAvroLong(out, *manifest.added_files_count);
  AppendAvroLong(out, *manifest.existing_files_count);
  AppendAvroLong(out, *manifest.deleted_files_count);
  AppendAvroLong(out, *manifest.added_rows_count);
  AppendAvroLong(out, *manifest.existing_rows_count);
  AppendAvroLong(out, *manifest.deleted_rows_count);
  AppendSummaries(out, manifest.partitions);
  AppendOptionalBytes(out, manifest.key_metadata);
  if (format_version >= 3) AppendOptionalLong(out, manifest.first_row_id);
}

bool HasAllCounts(const ManifestFile& manifest) {
  return manifest.added_files_count && manifest.existing_files_count &&
         manifest.deleted_files_count && manifest.added_rows_count &&
         manifest.existing_rows_count && manifest.deleted_rows_count;
}

// A manifest of version 1 may come without counts, which later versions demand: count its entries.
Status CountEntries(FileIO& io, ManifestFile& manifest) {
  int64_t files[3] = {};
  int64_t rows[3] = {};
  const TypePtr no_partition = Type::Struct({});
  FIRN_RETURN_IF_ERROR(ReadManifest(io, manifest, *no_partition, {.with_metrics = false},
                                    [&](ManifestEntry& entry) -> Status {
                                      const auto kind = static_cast<size_t>(entry.status);
                                      ++files[kind];
                                      rows[kind] += entry.file.record_count;
                                      return {};
                                    }));
  manifest.existing_files_count = files[0];
  manifest.added_files_count = files[1];
  manifest.deleted_files_count = files[2];
  manifest.existing_rows_count = rows[0];
  manifest.added_rows_count = rows[1];
  manifest.deleted_rows_count = rows[2];
  return {};
}

Status AssignSequenceNumber(const ManifestListOptions& options, ManifestFile& manifest) {
  const int64_t number = options.format_version == 1 ? 0 : options.sequence_number;
  if (manifest.sequence_number == kUnassignedSequenceNumber) {
    if (manifest.added_snapshot_id != options.snapshot_id) {
      return MakeError(ErrorCode::kInvalidInput,
                       "manifest {}: it was written for the snapshot {}, which never numbered it",
                       manifest.manifest_path, manifest.added_snapshot_id);
    }
    manifest.sequence_number = number;
    if (manifest.min_sequence_number == kUnassignedSequenceNumber) {
      manifest.min_sequence_number = number;
    }
  }
  return {};
}

// Gives row ids to data manifests that have none; `next_row_id` is the running value.
Status AssignFirstRowId(ManifestFile& manifest, int64_t& next_row_id) {
  if (manifest.content == ManifestContent::kDeletes) {
    manifest.first_row_id.reset();
    return {};
  }
  if (manifest.first_row_id) return {};
  manifest.first_row_id = next_row_id;
  if (__builtin_add_overflow(next_row_id, *manifest.existing_rows_count, &next_row_id) ||
      __builtin_add_overflow(next_row_id, *manifest.added_rows_count, &next_row_id)) {
    return MakeError(ErrorCode::kInvalidInput, "manifest {}: its row ids do not fit 64 bits",
                     manifest.manifest_path);
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> HeaderMetadata(
    const ManifestListOptions& options) {
  std::vector<std::pair<std::string, std::string>> metadata = {
      {"snapshot-id", std::to_string(options.snapshot_id)},
      {"parent-snapshot-id",
       options.parent_snapshot_id ? std::to_string(*options.parent_snapshot_id) : "null"},
  };
  if (options.format_version >= 2) {
    metadata.emplace_back("sequence-number", std::to_string(options.sequence_number));
  }
  if (options.format_version >= 3) {
    metadata.emplace_back("first-row-id", std::to_string(*options.first_row_id));
  }
  metadata.emplace_back("format-version", std::to_string(options.format_version));
  return metadata;
}

}  // namespace

Result<int64_t> WriteManifestList(FileIO& io, std::string_view uri,
                                  const ManifestListOptions& options,
                                  std::vector<ManifestFile>& manifests) {
  FIRN_RETURN_IF_ERROR(CheckFormatVersion(options.format_version), "manifest list {}", uri);
  const bool has_row_ids = options.format_version >= 3;
  if (has_row_ids && !options.first_row_id) {
    return MakeError(ErrorCode::kInvalidInput, "manifest list {}: version 3 needs a first row id",
                     uri);
  }
  AvroWriterOptions avro;
  FIRN_ASSIGN(avro.codec, ParseAvroCompressionProperty(options.compression),
              "write.manifest.compression-codec");
  avro.metadata = HeaderMetadata(options);
  const AvroNodePtr schema =
      ToAvroSchema(*ManifestFileType(options.format_version), "manifest_file");
  FIRN_ASSIGN(auto file, io.Create(uri), "manifest list");
  FIRN_ASSIGN(auto writer, AvroWriter::Make(std::move(file), *schema, std::move(avro)));
  int64_t next_row_id = options.first_row_id.value_or(0);
  for (ManifestFile& manifest : manifests) {
    FIRN_RETURN_IF_ERROR(AssignSequenceNumber(options, manifest), "manifest list {}", uri);
    if (options.format_version == 1) {
      EncodeV1(manifest, writer->record());
    } else {
      if (!HasAllCounts(manifest)) {
        FIRN_RETURN_IF_ERROR(CountEntries(io, manifest), "manifest list {}", uri);
      }
      if (has_row_ids) {
        FIRN_RETURN_IF_ERROR(AssignFirstRowId(manifest, next_row_id), "manifest list {}", uri);
      }
      Encode(manifest, options.format_version, writer->record());
    }
    FIRN_RETURN_IF_ERROR(writer->EndRecord());
  }
  FIRN_RETURN_IF_ERROR(writer->Finish(), "manifest list {}", uri);
  return has_row_ids ? next_row_id : 0;
}

}  // namespace firn
