#include <utility>

#include "firn/format/puffin/delete_reference.h"
#include "firn/scan/delete_loader_internal.h"

namespace firn {
namespace {

// Takes the entries of one delete manifest.
class BatchLoader {
 public:
  BatchLoader(const DeleteLoad& load, const ManifestFile& manifest, const SpecPlan& spec)
      : load_(load), manifest_(manifest), spec_(spec) {}

  Status Add(ManifestEntry& entry) {
    if ((++entries_ & 1023) == 0) FIRN_RETURN_IF_ERROR(load_.cancel.Check());
    const DataFile& file = entry.file;
    FIRN_RETURN_IF_ERROR(Check(entry));
    DeleteRecord record{.sequence_number = *entry.sequence_number,
                        .record_count = file.record_count,
                        .file_size_in_bytes = file.file_size_in_bytes,
                        .content_offset = file.content_offset,
                        .content_size_in_bytes = file.content_size_in_bytes,
                        .content = file.content,
                        .format = file.file_format};
    if (!spec_.Matches(file.partition)) return {};
    const std::string_view target =
        file.content == FileContent::kPositionDeletes ? ReferencedDataFile(file) : "";
    if (!target.empty()) record.target = MakePathKey(target);
    AddTexts(file, target, record);
    AddExtra(file, record);
    record.partition = batch_.partitions.Add(manifest_.partition_spec_id, file.partition);
    batch_.records.push_back(record);
    return {};
  }

  DeleteBatch Take() {
    batch_.records.shrink_to_fit();
    batch_.texts.shrink_to_fit();
    return std::move(batch_);
  }

 private:
  Status Check(const ManifestEntry& entry) const {
    const DataFile& file = entry.file;
    const char* problem = nullptr;
    if (file.content == FileContent::kData) {
      problem = "is a data file, expected a delete file";
    } else if (!entry.sequence_number) {
      problem = "has no data sequence number";
    } else if (file.content == FileContent::kEqualityDeletes && file.equality_ids.empty()) {
      problem = "is an equality delete without equality_ids";
    } else if (file.is_deletion_vector() && !file.referenced_data_file) {
      problem = "is a deletion vector without referenced_data_file";
    } else if (file.is_deletion_vector() && (!file.content_offset || !file.content_size_in_bytes)) {
      problem = "is a deletion vector without content_offset or content_size_in_bytes";
    }
    if (problem == nullptr) return {};
    return MakeError(ErrorCode::kCorrupt, "manifest '{}': '{}' {}", manifest_.manifest_path,
                     file.file_path, problem);
  }

  // The target is kept too if only bounds told it, as tasks carry no metrics of delete files.
  void AddTexts(const DataFile& file, std::string_view target, DeleteRecord& record) {
    record.text_offset = batch_.texts.size();
    record.path_length = static_cast<uint32_t>(file.file_path.size());
    batch_.texts += file.file_path;
    record.referenced_length = static_cast<uint32_t>(target.size());
    batch_.texts += target;
  }

  void AddExtra(const DataFile& file, DeleteRecord& record) {
    const bool is_equality = file.content == FileContent::kEqualityDeletes;
    if (!is_equality && !file.key_metadata) return;
    record.extra = static_cast<int32_t>(batch_.extras.size());
    DeleteExtra extra{.key_metadata = file.key_metadata, .sort_order_id = file.sort_order_id};
    if (is_equality) {
      extra.equality_ids = file.equality_ids;
      extra.columns = DescribeEqualityColumns(file.metrics, file.equality_ids, schemas_);
    }
    batch_.extras.push_back(std::move(extra));
  }

  const DeleteLoad& load_;
  const ManifestFile& manifest_;
  const SpecPlan& spec_;
  const std::vector<SchemaPtr> schemas_ = load_.metadata->SchemasNewestFirst();
  DeleteBatch batch_;
  uint64_t entries_ = 0;
};

Result<DeleteBatch> LoadBatch(const DeleteLoad& load, const ManifestFile& manifest) {
  FIRN_ASSIGN(const SpecPlan* spec, load.specs->Find(manifest));
  BatchLoader loader(load, manifest, *spec);
  const ManifestReadOptions options{.with_column_sizes = false, .with_deleted = false};
  FIRN_RETURN_IF_ERROR(ReadManifest(*load.io, manifest, *spec->partition_type, options,
                                    [&](ManifestEntry& entry) { return loader.Add(entry); }));
  return loader.Take();
}

}  // namespace

Result<DeleteIndex> LoadDeleteIndex(const DeleteLoad& load) {
  std::vector<DeleteBatch> batches(load.manifests.size());
  const auto load_one = [&](size_t index) -> Status {
    FIRN_ASSIGN(batches[index], LoadBatch(load, *load.manifests[index]));
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      ParallelFor(*load.executor, batches.size(), load_one, load.cancel, load.parallel_max));
  const auto is_unpartitioned = [&](int32_t spec_id) {
    const PartitionSpecPtr spec = load.metadata->FindSpec(spec_id);
    return spec != nullptr && spec->is_unpartitioned();
  };
  return DeleteIndex::Make(std::move(batches), is_unpartitioned,
                           load.metadata->SchemasNewestFirst());
}

}  // namespace firn
