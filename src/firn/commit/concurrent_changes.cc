#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "firn/commit/concurrent_changes_internal.h"
#include "firn/commit/open_manifest_internal.h"
#include "firn/expression/expression.h"
#include "firn/format/delete_reference.h"

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

}  // namespace

Status CheckNoConflictingData(const CommitContext& context, const Table& base,
                              const History& history, const ExpressionPtr& filter) {
  const ExpressionPtr condition = filter == nullptr ? Expression::True() : filter;
  const TableMetadata& metadata = *base.metadata;
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

}  // namespace firn
