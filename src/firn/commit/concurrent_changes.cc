#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "firn/commit/concurrent_changes_internal.h"
#include "firn/commit/open_manifest_internal.h"
#include "firn/expression/expression.h"
#include "firn/format/puffin/delete_reference.h"

namespace firn {

Status VisitChanges(const CommitContext& context, const Table& base, const History& history,
                    const ChangeQuery& query,
                    const std::function<Status(const Snapshot&, ManifestEntry&)>& visit) {
  struct Written {
    const Snapshot* snapshot;
    ManifestFile manifest;
  };
  std::vector<Written> written;
  for (const Snapshot* snapshot : history) {
    const bool is_asked = std::find(query.operations.begin(), query.operations.end(),
                                    snapshot->operation) != query.operations.end();
    if (!is_asked) continue;
    FIRN_ASSIGN(std::vector<ManifestFile> manifests, ReadManifests(*base.io, *snapshot));
    for (ManifestFile& manifest : manifests) {
      if (manifest.content != query.content || manifest.added_snapshot_id != snapshot->snapshot_id)
        continue;
      written.push_back({.snapshot = snapshot, .manifest = std::move(manifest)});
    }
  }
  return ParallelFor(
      *context.executor, written.size(),
      [&](size_t i) -> Status {
        const Snapshot& snapshot = *written[i].snapshot;
        FIRN_ASSIGN(const TypePtr type, PartitionTypeOf(*base.metadata, written[i].manifest));
        return ReadManifest(*base.io, written[i].manifest, *type, query.options,
                            [&](ManifestEntry& entry) -> Status {
                              const bool is_own = entry.status == query.status &&
                                                  entry.snapshot_id == snapshot.snapshot_id;
                              return is_own ? visit(snapshot, entry) : Status();
                            });
      },
      context.cancel);
}

namespace {

// Whether a data file may hold a matching row, by its partition and its metrics.
class FileMatcher {
 public:
  FileMatcher(const TableMetadata& metadata, ExpressionPtr bound)
      : metadata_(metadata), bound_(std::move(bound)) {}

  Result<bool> MightMatch(const DataFile& file) {
    FIRN_ASSIGN(const ResidualEvaluator* evaluator, EvaluatorFor(file.partition_spec_id));
    const ExpressionPtr residual =
        evaluator == nullptr ? bound_ : evaluator->ResidualFor(file.partition);
    if (residual->kind() == ExpressionKind::kFalse) return false;
    return MightMatchMetrics(*residual, *metadata_.current_schema(),
                             {.metrics = &file.metrics, .record_count = file.record_count});
  }

 private:
  // Null: the spec is not known, so the partition tells nothing.
  Result<const ResidualEvaluator*> EvaluatorFor(int32_t spec_id) {
    const std::lock_guard lock(mutex_);
    const auto known = evaluators_.find(spec_id);
    if (known != evaluators_.end()) return known->second ? &*known->second : nullptr;
    std::optional<ResidualEvaluator>& evaluator = evaluators_[spec_id];
    const PartitionSpecPtr spec = metadata_.FindSpec(spec_id);
    if (spec == nullptr) return static_cast<const ResidualEvaluator*>(nullptr);
    FIRN_ASSIGN(ResidualEvaluator made,
                ResidualEvaluator::Make(bound_, *spec,
                                        *PartitionType(*spec, metadata_.SchemasNewestFirst())));
    evaluator.emplace(std::move(made));
    return &*evaluator;
  }

  const TableMetadata& metadata_;
  ExpressionPtr bound_;
  std::mutex mutex_;
  std::map<int32_t, std::optional<ResidualEvaluator>> evaluators_;  // Addresses are kept.
};

// The names of a condition mean what they meant when it was made: else rows of another column
// would be looked for.
Status CheckNamesStay(const ExpressionPtr& condition, const Schema& planned, const Schema& now) {
  if (planned.schema_id() == now.schema_id() && planned.IsSameAs(now)) return {};
  FIRN_ASSIGN(const ExpressionPtr bound, Bind(condition, planned));
  for (const int32_t id : ReferencedFields(*bound)) {
    const std::string name = now.FullName(id);
    if (name == planned.FullName(id)) continue;
    return MakeError(ErrorCode::kCommitConflict,
                     "column '{}' of the condition {} after the operation began; run it again",
                     planned.FullName(id),
                     name.empty() ? "was dropped" : fmt::format("was renamed to '{}'", name));
  }
  return {};
}

}  // namespace

Status CheckNoConflictingData(const CommitContext& context, const Table& base,
                              const History& history, const ExpressionPtr& filter,
                              const Schema& planned) {
  const ExpressionPtr condition = filter == nullptr ? Expression::True() : filter;
  const TableMetadata& metadata = *base.metadata;
  FIRN_RETURN_IF_ERROR(CheckNamesStay(condition, planned, *metadata.current_schema()));
  FIRN_ASSIGN(const ExpressionPtr bound, Bind(condition, *metadata.current_schema()));
  FileMatcher matcher(metadata, bound);
  return VisitChanges(context, base, history,
                      {.content = ManifestContent::kData,
                       .status = EntryStatus::kAdded,
                       .operations = {"append", "overwrite"},
                       .options = {}},
                      [&](const Snapshot& snapshot, ManifestEntry& entry) -> Status {
                        FIRN_ASSIGN(const bool might_match, matcher.MightMatch(entry.file));
                        if (!might_match) return {};
                        return MakeError(
                            ErrorCode::kCommitConflict,
                            "data file '{}', which may hold rows of the condition, was added by "
                            "snapshot {} after the operation began; run the operation again",
                            entry.file.file_path, snapshot.snapshot_id);
                      });
}

Status CheckDataFilesStay(const CommitContext& context, const Table& base, const History& history,
                          const std::unordered_set<std::string_view>& paths, DeletedFiles deleted) {
  if (paths.empty()) return {};
  std::vector<std::string_view> operations = {"overwrite", "replace"};
  if (deleted == DeletedFiles::kConflict) operations.push_back("delete");
  return VisitChanges(
      context, base, history,
      {.content = ManifestContent::kData,
       .status = EntryStatus::kDeleted,
       .operations = std::move(operations),
       .options = {.with_metrics = false}},
      [&](const Snapshot& snapshot, ManifestEntry& entry) -> Status {
        if (!paths.contains(entry.file.file_path)) return {};
        return MakeError(
            ErrorCode::kCommitConflict,
            "data file '{}', of which rows were to be deleted, was rewritten or "
            "taken out by snapshot {} after the operation began; run the operation again",
            entry.file.file_path, snapshot.snapshot_id);
      });
}

Status CheckNoNewVectors(const CommitContext& context, const Table& base, const History& history,
                         const std::unordered_set<std::string_view>& paths) {
  if (paths.empty()) return {};
  return VisitChanges(
      context, base, history,
      {.content = ManifestContent::kDeletes,
       .status = EntryStatus::kAdded,
       .operations = {"overwrite", "delete", "replace"},
       .options = {.with_metrics = false}},
      [&](const Snapshot& snapshot, ManifestEntry& entry) -> Status {
        if (!entry.file.is_deletion_vector()) return {};
        const std::string_view path = ReferencedDataFile(entry.file);
        if (!paths.contains(path)) return {};
        return MakeError(ErrorCode::kCommitConflict,
                         "rows of data file '{}' were deleted by snapshot {} after the operation "
                         "began; run the operation again",
                         path, snapshot.snapshot_id);
      });
}

namespace {

// The newest equality delete of each scope: everything, or a partition.
class DeleteScopes {
 public:
  DeleteScopes(const TableMetadata& metadata, const std::vector<DeleteFilePtr>& deletes) {
    for (const DeleteFilePtr& file : deletes) {
      if (file->file.content != FileContent::kEqualityDeletes) continue;
      const PartitionSpecPtr spec = metadata.FindSpec(file->file.partition_spec_id);
      const bool is_global = spec == nullptr || spec->is_unpartitioned();
      Raise(is_global ? global_ : OfPartition(file->file), file);
    }
  }

  bool empty() const { return global_ == nullptr && partitions_.empty(); }

  /// A delete that applies to the data file, or null.
  const DeleteFile* FindFor(const DataFile& file, int64_t sequence_number) const {
    if (global_ != nullptr && sequence_number < global_->sequence_number) return global_.get();
    const auto [begin, end] = partitions_.equal_range(HashOf(file));
    for (auto at = begin; at != end; ++at) {
      const DeleteFile& deletes = *at->second;
      if (IsSamePartition(deletes.file, file) && sequence_number < deletes.sequence_number) {
        return &deletes;
      }
    }
    return nullptr;
  }

 private:
  static uint64_t HashOf(const DataFile& file) {
    return HashValue(Value::Struct(file.partition.fields));
  }
  static bool IsSamePartition(const DataFile& a, const DataFile& b) {
    return a.partition_spec_id == b.partition_spec_id && a.partition.fields == b.partition.fields;
  }
  static void Raise(DeleteFilePtr& newest, const DeleteFilePtr& file) {
    if (newest == nullptr || newest->sequence_number < file->sequence_number) newest = file;
  }
  DeleteFilePtr& OfPartition(const DataFile& file) {
    const uint64_t hash = HashOf(file);
    const auto [begin, end] = partitions_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      if (IsSamePartition(at->second->file, file)) return at->second;
    }
    // Filled by the caller.
    return partitions_.emplace(hash, nullptr)->second;
  }

  DeleteFilePtr global_;
  std::unordered_multimap<uint64_t, DeleteFilePtr> partitions_;  // By hash.
};

}  // namespace

Status CheckNoDataUnderDeletes(const CommitContext& context, const Table& base,
                               const History& history, const std::vector<DeleteFilePtr>& deletes) {
  const DeleteScopes scopes(*base.metadata, deletes);
  if (scopes.empty()) return {};
  return VisitChanges(
      context, base, history,
      {.content = ManifestContent::kData,
       .status = EntryStatus::kAdded,
       .operations = {"append", "overwrite", "replace"},
       .options = {.with_metrics = false}},
      [&](const Snapshot& snapshot, ManifestEntry& entry) -> Status {
        const DeleteFile* applies = scopes.FindFor(entry.file, entry.sequence_number.value_or(0));
        if (applies == nullptr) return {};
        return MakeError(ErrorCode::kCommitConflict,
                         "data file '{}', added by snapshot {} after the operation began, holds "
                         "older rows to which equality delete file '{}' applies; run the operation "
                         "again",
                         entry.file.file_path, snapshot.snapshot_id, applies->file.file_path);
      });
}

}  // namespace firn
