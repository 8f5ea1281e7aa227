#include <algorithm>
#include <utility>

#include "firn/format/avro/avro_value.h"
#include "firn/format/avro/avro_writer.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/manifest/manifest_schema_internal.h"
#include "firn/format/manifest/partition_summary_internal.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {
namespace {

// What version 1 writers put into the column that nobody reads.
constexpr int64_t kBlockSizeInBytes = int64_t{64} << 20;

void AppendNull(std::string& out) { AppendAvroLong(out, 0); }
void AppendPresent(std::string& out) { AppendAvroLong(out, 1); }

template <typename T>
void AppendOptionalLong(std::string& out, const std::optional<T>& value) {
  if (!value) return AppendNull(out);
  AppendPresent(out);
  AppendAvroLong(out, *value);
}

void AppendOptionalBytes(std::string& out, const std::optional<std::string>& value) {
  if (!value) return AppendNull(out);
  AppendPresent(out);
  AppendAvroBytes(out, *value);
}

void AppendMapValue(std::string& out, int64_t value) { AppendAvroLong(out, value); }
void AppendMapValue(std::string& out, const std::string& value) { AppendAvroBytes(out, value); }

template <typename T>
void AppendOptionalMap(std::string& out, const FieldMap<T>& map, bool is_stored_empty) {
  if (map.empty() && !is_stored_empty) return AppendNull(out);
  AppendPresent(out);
  if (!map.empty()) AppendAvroLong(out, static_cast<int64_t>(map.size()));
  for (const auto& [key, value] : map) {
    AppendAvroLong(out, key);
    AppendMapValue(out, value);
  }
  AppendAvroLong(out, 0);
}

void AppendMetrics(std::string& out, const FileMetrics& metrics) {
  const auto is_stored = [&](FileMetrics::MapBit map) { return (metrics.stored_empty & map) != 0; };
  AppendOptionalMap(out, metrics.column_sizes, is_stored(FileMetrics::kColumnSizes));
  AppendOptionalMap(out, metrics.value_counts, is_stored(FileMetrics::kValueCounts));
  AppendOptionalMap(out, metrics.null_value_counts, is_stored(FileMetrics::kNullValueCounts));
  AppendOptionalMap(out, metrics.nan_value_counts, is_stored(FileMetrics::kNanValueCounts));
  AppendOptionalMap(out, metrics.lower_bounds, is_stored(FileMetrics::kLowerBounds));
  AppendOptionalMap(out, metrics.upper_bounds, is_stored(FileMetrics::kUpperBounds));
}

template <typename T>
void AppendOptionalArray(std::string& out, const std::vector<T>& array) {
  if (array.empty()) return AppendNull(out);
  AppendPresent(out);
  AppendAvroLong(out, static_cast<int64_t>(array.size()));
  for (const T item : array)
    AppendAvroLong(out, item);
  AppendAvroLong(out, 0);
}

// Counts and the least sequence number of the entries, for the manifest list.
class EntryTotals {
 public:
  void Add(const ManifestEntry& entry) {
    const auto kind = static_cast<size_t>(entry.status);
    ++files_[kind];
    rows_[kind] += entry.file.record_count;
    if (!entry.is_live() || !entry.sequence_number) return;
    min_sequence_number_ =
        std::min(min_sequence_number_.value_or(*entry.sequence_number), *entry.sequence_number);
  }

  bool empty() const { return files_[0] + files_[1] + files_[2] == 0; }

  void Describe(ManifestFile& manifest) const {
    manifest.existing_files_count = files_[0];
    manifest.added_files_count = files_[1];
    manifest.deleted_files_count = files_[2];
    manifest.existing_rows_count = rows_[0];
    manifest.added_rows_count = rows_[1];
    manifest.deleted_rows_count = rows_[2];
    manifest.min_sequence_number = min_sequence_number_.value_or(kUnassignedSequenceNumber);
  }

 private:
  // By status.
  int64_t files_[3] = {};
  int64_t rows_[3] = {};
  std::optional<int64_t> min_sequence_number_;
};

class AvroManifestWriter final : public ManifestWriter {
 public:
  AvroManifestWriter(std::string uri, ManifestWriterOptions options,
                     std::unique_ptr<AvroWriter> writer)
      : uri_(std::move(uri)),
        options_(std::move(options)),
        writer_(std::move(writer)),
        summary_(*options_.partition_type) {}

  Status Add(const ManifestEntry& entry) override {
    FIRN_RETURN_IF_ERROR(Check(entry), "manifest {}: file {}", uri_, entry.file.file_path);
    const Status encoded = Encode(entry, writer_->record());
    if (!encoded.ok()) {
      writer_->DropRecord();
      return encoded.error().Within(
          fmt::format("manifest {}: file {}", uri_, entry.file.file_path));
    }
    summary_.Add(entry.file.partition);
    totals_.Add(entry);
    return writer_->EndRecord();
  }

  int64_t bytes_written() const override { return writer_->bytes_written(); }

  Result<ManifestFile> Finish() override {
    if (totals_.empty()) {
      return MakeError(ErrorCode::kInvalidInput,
                       "manifest {}: it has no entry, and other engines refuse empty ones", uri_);
    }
    ManifestFile manifest;
    FIRN_ASSIGN(manifest.partitions, summary_.Finish(), "manifest {}", uri_);
    FIRN_ASSIGN(manifest.manifest_length, writer_->Finish(), "manifest {}", uri_);
    manifest.manifest_path = uri_;
    manifest.partition_spec_id = options_.spec->spec_id;
    manifest.content = options_.content;
    manifest.added_snapshot_id = options_.snapshot_id;
    manifest.sequence_number = kUnassignedSequenceNumber;
    totals_.Describe(manifest);
    return manifest;
  }

 private:
  Status Check(const ManifestEntry& entry) const {
    const DataFile& file = entry.file;
    const bool is_data = file.content == FileContent::kData;
    if (is_data != (options_.content == ManifestContent::kData)) {
      return MakeError(ErrorCode::kInvalidInput, "a {} file in a manifest of {}",
                       is_data ? "data" : "delete", is_data ? "deletes" : "data");
    }
    if (file.partition.fields.size() != options_.partition_type->fields().size()) {
      return MakeError(ErrorCode::kInvalidInput, "{} partition values, the spec {} has {} fields",
                       file.partition.fields.size(), options_.spec->spec_id,
                       options_.partition_type->fields().size());
    }
    if (options_.format_version >= 2) FIRN_RETURN_IF_ERROR(CheckNumbers(entry));
    if (!file.is_deletion_vector()) return {};
    if (options_.format_version < 3) {
      return MakeError(ErrorCode::kInvalidInput, "a deletion vector needs format version 3");
    }
    if (!file.referenced_data_file || !file.content_offset || !file.content_size_in_bytes) {
      return MakeError(ErrorCode::kInvalidInput,
                       "a deletion vector needs its data file, offset and size");
    }
    return {};
  }

  // Only an added entry may leave out what the commit assigns.
  static Status CheckNumbers(const ManifestEntry& entry) {
    if (entry.status == EntryStatus::kAdded) return {};
    if (!entry.snapshot_id || !entry.sequence_number) {
      return MakeError(ErrorCode::kInvalidInput,
                       "an existing or deleted entry needs its snapshot id and sequence number");
    }
    return {};
  }

  Status Encode(const ManifestEntry& entry, std::string& out) const {
    AppendAvroLong(out, static_cast<int64_t>(entry.status));
    if (options_.format_version == 1) {
      AppendAvroLong(out, entry.snapshot_id.value_or(options_.snapshot_id));
    } else {
      AppendOptionalLong(out, entry.snapshot_id);
      AppendOptionalLong(out, entry.sequence_number);
      AppendOptionalLong(out, entry.file_sequence_number);
    }
    return EncodeFile(entry, out);
  }

  Status EncodeFile(const ManifestEntry& entry, std::string& out) const {
    const int version = options_.format_version;
    const DataFile& file = entry.file;
    if (version >= 2) AppendAvroLong(out, static_cast<int64_t>(file.content));
    AppendAvroBytes(out, file.file_path);
    AppendAvroBytes(out, FormatFileFormat(file.file_format));
    FIRN_RETURN_IF_ERROR(EncodePartition(file.partition, out));
    AppendAvroLong(out, file.record_count);
    AppendAvroLong(out, file.file_size_in_bytes);
    if (version == 1) AppendAvroLong(out, kBlockSizeInBytes);
    AppendMetrics(out, file.metrics);
    AppendOptionalBytes(out, file.key_metadata);
    AppendOptionalArray(out, file.split_offsets);
    if (version >= 2) AppendOptionalArray(out, file.equality_ids);
    AppendOptionalLong(out, file.sort_order_id);
    if (version >= 3) EncodeFirstRowId(entry, out);
    if (version >= 2) AppendOptionalBytes(out, file.referenced_data_file);
    if (version >= 3) AppendOptionalLong(out, file.content_offset);
    if (version >= 3) AppendOptionalLong(out, file.content_size_in_bytes);
    return {};
  }

  // An added file gets its row ids from the commit that succeeds; a delete file has none.
  void EncodeFirstRowId(const ManifestEntry& entry, std::string& out) const {
    const bool is_explicit =
        options_.content == ManifestContent::kData && entry.status != EntryStatus::kAdded;
    AppendOptionalLong(out, is_explicit ? entry.file.first_row_id : std::nullopt);
  }

  Status EncodePartition(const StructValue& partition, std::string& out) const {
    const auto& fields = options_.partition_type->fields();
    for (size_t i = 0; i < fields.size(); ++i) {
      const Value& value = partition.fields[i];
      // An optional unknown is Avro's null, which has no branch.
      if (fields[i].type->id() != TypeId::kUnknown && !fields[i].required) {
        value.is_null() ? AppendNull(out) : AppendPresent(out);
        if (value.is_null()) continue;
      }
      FIRN_RETURN_IF_ERROR(AppendAvroValue(out, value, *fields[i].type), "partition field '{}'",
                           fields[i].name);
    }
    return {};
  }

  std::string uri_;
  ManifestWriterOptions options_;
  std::unique_ptr<AvroWriter> writer_;
  PartitionSummary summary_;
  EntryTotals totals_;
};

std::vector<std::pair<std::string, std::string>> HeaderMetadata(
    const ManifestWriterOptions& options) {
  std::vector<std::pair<std::string, std::string>> metadata = {
      {"schema", FormatSchemaJson(*options.schema)},
      {"schema-id", std::to_string(options.schema->schema_id())},
      {"partition-spec", FormatPartitionFieldsJson(*options.spec)},
      {"partition-spec-id", std::to_string(options.spec->spec_id)},
      {"format-version", std::to_string(options.format_version)},
  };
  if (options.format_version >= 2) {
    metadata.emplace_back("content",
                          options.content == ManifestContent::kData ? "data" : "deletes");
  }
  return metadata;
}

}  // namespace

Result<std::unique_ptr<ManifestWriter>> MakeManifestWriter(FileIO& io, std::string_view uri,
                                                           ManifestWriterOptions options) {
  FIRN_RETURN_IF_ERROR(CheckFormatVersion(options.format_version), "manifest {}", uri);
  if (options.format_version == 1 && options.content == ManifestContent::kDeletes) {
    return MakeError(ErrorCode::kInvalidInput,
                     "manifest {}: delete files need format version 2 or above", uri);
  }
  if (options.schema == nullptr || options.spec == nullptr || options.partition_type == nullptr) {
    return MakeError(ErrorCode::kInvalidInput,
                     "manifest {}: schema, partition spec and partition type must be given", uri);
  }
  AvroWriterOptions avro;
  FIRN_ASSIGN(avro.codec, ParseAvroCompressionProperty(options.compression),
              "write.manifest.compression-codec");
  avro.metadata = HeaderMetadata(options);
  const TypePtr type = ManifestEntryType(options.format_version, options.partition_type);
  FIRN_ASSIGN(auto file, io.Create(uri), "manifest");
  FIRN_ASSIGN(auto writer, AvroWriter::Make(std::move(file), *ToAvroSchema(*type, "manifest_entry"),
                                            std::move(avro)));
  return std::make_unique<AvroManifestWriter>(std::string(uri), std::move(options),
                                              std::move(writer));
}

}  // namespace firn
