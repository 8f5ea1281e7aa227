#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "firn/commit/conflict_check_internal.h"
#include "firn/commit/open_manifest_internal.h"
#include "firn/format/puffin/delete_reference.h"
#include "firn/format/schema/schema.h"

namespace firn {
namespace {

/// The data files that a commit replaces, findable by what deletes refer to.
class ReplacedFiles {
 public:
  explicit ReplacedFiles(const std::vector<DataFile>& files) {
    for (const DataFile& file : files) {
      paths_.insert(file.file_path);
      by_spec_[file.partition_spec_id].push_back(&file);
    }
  }

  bool Holds(const std::string& path) const { return paths_.contains(path); }

  /// A replaced file of the partition, or null.
  const DataFile* InPartition(int32_t spec_id, const StructValue& partition) const {
    const auto files = by_spec_.find(spec_id);
    if (files == by_spec_.end()) {
      return nullptr;
    }
    for (const DataFile* file : files->second) {
      if (file->partition.fields == partition.fields) {
        return file;
      }
    }
    return nullptr;
  }

  const DataFile* Any() const {
    return by_spec_.empty() ? nullptr : by_spec_.begin()->second.front();
  }

 private:
  std::unordered_set<std::string> paths_;
  std::unordered_map<int32_t, std::vector<const DataFile*>> by_spec_;
};

/// The replaced file that `deletes` applies to; empty if none.
std::string FindTarget(const TableMetadata& metadata, const ReplacedFiles& replaced,
                       const DataFile& deletes) {
  if (deletes.content == FileContent::kPositionDeletes) {
    const std::string referenced(ReferencedDataFile(deletes));
    if (!referenced.empty()) {
      return replaced.Holds(referenced) ? referenced : "";
    }
  } else {
    const PartitionSpecPtr spec = metadata.FindSpec(deletes.partition_spec_id);
    if (spec == nullptr || spec->is_unpartitioned()) {
      return replaced.Any() == nullptr ? "" : replaced.Any()->file_path;
    }
  }
  const DataFile* file = replaced.InPartition(deletes.partition_spec_id, deletes.partition);
  return file == nullptr ? "" : file->file_path;
}

}  // namespace

Result<std::vector<const Snapshot*>> HistorySince(const TableMetadata& metadata,
                                                  const Snapshot* head, SnapshotId starting_id) {
  std::vector<const Snapshot*> since;
  std::unordered_set<SnapshotId> seen;
  for (const Snapshot* at = head; at != nullptr;) {
    if (at->snapshot_id == starting_id) {
      return since;
    }
    if (!seen.insert(at->snapshot_id).second) {
      return MakeError(ErrorCode::kCorrupt, "snapshot {} is its own ancestor", at->snapshot_id);
    }
    since.push_back(at);
    at = at->parent_snapshot_id ? metadata.FindSnapshot(*at->parent_snapshot_id) : nullptr;
  }
  return MakeError(ErrorCode::kCommitConflict,
                   "cannot determine the history since snapshot {}: it is no ancestor of the "
                   "branch's head {} (expired or rolled back meanwhile); run the operation again",
                   starting_id, head == nullptr ? 0 : head->snapshot_id);
}

Result<std::vector<const Snapshot*>> WholeHistory(const TableMetadata& metadata,
                                                  const Snapshot* head) {
  std::vector<const Snapshot*> all;
  std::unordered_set<SnapshotId> seen;
  for (const Snapshot* at = head; at != nullptr;) {
    if (!seen.insert(at->snapshot_id).second) {
      return MakeError(ErrorCode::kCorrupt, "snapshot {} is its own ancestor", at->snapshot_id);
    }
    all.push_back(at);
    if (!at->parent_snapshot_id) break;
    const SnapshotId parent = *at->parent_snapshot_id;
    at = metadata.FindSnapshot(parent);
    if (at == nullptr) {
      return MakeError(ErrorCode::kCommitConflict,
                       "cannot determine the history of the branch, which was empty when the "
                       "operation began: snapshot {} expired meanwhile; run the operation again",
                       parent);
    }
  }
  return all;
}

Status CheckNoNewDeletes(const CommitContext& context, const Table& base,
                         const std::vector<ManifestFile>& manifests,
                         const std::vector<DataFile>& data_files, const NewDeletesCheck& check) {
  const TableMetadata& metadata = *base.metadata;
  const ReplacedFiles replaced(data_files);
  std::vector<const ManifestFile*> recent;
  for (const ManifestFile& manifest : manifests) {
    if (manifest.content == ManifestContent::kDeletes && manifest.has_live_files() &&
        manifest.sequence_number > check.starting_sequence_number) {
      recent.push_back(&manifest);
    }
  }
  static const std::vector<int32_t> kPathColumn = {kDeleteFilePathFieldId};
  const ManifestReadOptions options{
      .with_column_sizes = false, .metrics_field_ids = &kPathColumn, .with_deleted = false};
  const auto check_entry = [&](ManifestEntry& entry) -> Status {
    if (entry.sequence_number.value_or(0) <= check.starting_sequence_number ||
        (check.ignores_equality_deletes && entry.file.content == FileContent::kEqualityDeletes)) {
      return {};
    }
    const std::string target = FindTarget(metadata, replaced, entry.file);
    if (target.empty()) {
      return {};
    }
    return MakeError(ErrorCode::kCommitConflict,
                     "delete file '{}' was committed by snapshot {} after the operation began and "
                     "applies to data file '{}', which it replaces; run the operation again",
                     entry.file.file_path, entry.snapshot_id.value_or(0), target);
  };
  return ParallelFor(
      *context.executor, recent.size(),
      [&](size_t i) -> Status {
        FIRN_ASSIGN(const TypePtr type, PartitionTypeOf(metadata, *recent[i]));
        return ReadManifest(*base.io, *recent[i], *type, options, check_entry);
      },
      context.cancel);
}

Status CheckNotReplaced(const TableMetadata& now, const Snapshot* head, const Schema& written,
                        std::optional<SnapshotId> planned_head) {
  const SchemaPtr current = now.current_schema();
  const auto& fields = written.fields();
  const auto lost = std::find_if(fields.begin(), fields.end(), [&](const NestedField& field) {
    return current->FindField(field.id) == nullptr;
  });
  if (lost == fields.end()) return {};
  if (planned_head && head != nullptr) {
    for (const Snapshot* ancestor : AncestorsOf(now, head->snapshot_id)) {
      if (ancestor->snapshot_id == *planned_head) return {};
    }
  }
  return MakeError(
      ErrorCode::kCommitConflict,
      "the table was replaced after the rows were written, and has no column '{}' with "
      "the id {} any more; run this again",
      lost->name, lost->id);
}

Status CheckRowIdsStay(const Snapshot* head, const Snapshot& start,
                       const std::vector<DataFile>& moved) {
  const bool came_late = head != nullptr && head->first_row_id && !start.first_row_id;
  if (!came_late) return {};
  const auto late = std::find_if(moved.begin(), moved.end(),
                                 [](const DataFile& file) { return !file.first_row_id; });
  if (late == moved.end()) return {};
  return MakeError(ErrorCode::kCommitConflict,
                   "the rows of data file '{}' got row ids after they were read: the table was "
                   "upgraded to version 3 and snapshot {} was committed; run the operation again",
                   late->file_path, head->snapshot_id);
}

Status CheckDeletesFit(const TableMetadata& metadata, const std::vector<DataFile>& added) {
  if (metadata.format_version < 3) return {};
  for (const DataFile& file : added) {
    if (file.content != FileContent::kPositionDeletes || file.is_deletion_vector()) continue;
    return MakeError(ErrorCode::kCommitConflict,
                     "the table was upgraded to format version {} after '{}', which is no deletion "
                     "vector, was written; run the operation again",
                     metadata.format_version, file.file_path);
  }
  return {};
}

}  // namespace firn
