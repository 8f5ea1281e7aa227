#include <algorithm>
#include <unordered_map>
#include <utility>

#include "firn/scan/entry_planner_internal.h"

namespace firn {
namespace {

// What one partition means for all its files.
struct PartitionFacts {
  StructValue partition;
  bool is_excluded = false;
  ExpressionPtr residual;
  std::optional<uint32_t> number;  // In the delete index.
};

// Partitions of one manifest that were seen; mostly the last one comes again.
class PartitionCache {
 public:
  PartitionCache(const SpecPlan& spec, const ExpressionPtr& bound, const DeleteIndex& deletes)
      : spec_(spec), bound_(bound), deletes_(deletes) {
    is_constant_ = !spec.matcher && !spec.residuals && deletes.empty();
    if (is_constant_) constant_ = {.residual = bound};
  }

  const PartitionFacts& Find(const StructValue& partition) {
    if (is_constant_) return constant_;
    if (last_ != nullptr && last_->partition.fields == partition.fields) return *last_;
    const uint64_t hash = HashPartition(spec_.spec->spec_id, partition);
    if (known_.size() >= kKnownMax) known_.clear();
    std::vector<std::unique_ptr<PartitionFacts>>& bucket = known_[hash];
    for (const auto& facts : bucket) {
      if (facts->partition.fields == partition.fields) return *(last_ = facts.get());
    }
    bucket.push_back(std::make_unique<PartitionFacts>(Make(partition)));
    return *(last_ = bucket.back().get());
  }

 private:
  static constexpr size_t kKnownMax = 4096;

  PartitionFacts Make(const StructValue& partition) const {
    PartitionFacts facts{.partition = partition, .residual = bound_};
    facts.is_excluded = !spec_.Matches(partition);
    if (!facts.is_excluded && spec_.residuals) {
      facts.residual = spec_.residuals->ResidualFor(partition);
      facts.is_excluded = facts.residual->kind() == ExpressionKind::kFalse;
    }
    facts.number = deletes_.FindPartition(spec_.spec->spec_id, partition);
    return facts;
  }

  const SpecPlan& spec_;
  const ExpressionPtr& bound_;
  const DeleteIndex& deletes_;
  std::unordered_map<uint64_t, std::vector<std::unique_ptr<PartitionFacts>>> known_;
  const PartitionFacts* last_ = nullptr;
  bool is_constant_ = false;  // No filter and no deletes: all partitions are alike.
  PartitionFacts constant_;
};

Result<const Snapshot*> FindSnapshot(const TableMetadata& metadata, const ScanOptions& options) {
  if (!options.snapshot_id) return metadata.current_snapshot();
  const Snapshot* snapshot = metadata.FindSnapshot(*options.snapshot_id);
  if (snapshot != nullptr) return snapshot;
  return MakeError(ErrorCode::kNotFound, "snapshot {} not found among {} snapshots of the table",
                   *options.snapshot_id, metadata.snapshots.size());
}

}  // namespace

Result<EntryPlanner> EntryPlanner::Make(FileIO& io, const TableMetadata& metadata,
                                        const ScanOptions& options, Executor& executor,
                                        const CancelToken& cancel) {
  EntryPlanner planner;
  planner.io_ = &io;
  planner.metadata_ = &metadata;
  planner.options_ = options;
  planner.cancel_ = cancel;
  planner.schema_ = options.schema ? options.schema : metadata.current_schema();
  planner.bound_ = Expression::True();
  if (options.filter) {
    FIRN_ASSIGN(planner.bound_, Bind(options.filter, *planner.schema_, options.is_case_sensitive));
  }
  FIRN_ASSIGN(planner.specs_, SpecPlans::Make(metadata, planner.bound_));
  FIRN_ASSIGN(const Snapshot* snapshot, FindSnapshot(metadata, options));
  if (snapshot == nullptr || planner.bound_->kind() == ExpressionKind::kFalse) return planner;
  FIRN_RETURN_IF_ERROR(planner.SelectManifests(*snapshot), "planning snapshot {}",
                       snapshot->snapshot_id);
  FIRN_RETURN_IF_ERROR(planner.LoadDeletes(executor), "planning snapshot {}",
                       snapshot->snapshot_id);
  planner.metrics_fields_ = planner.MetricsFields();
  return planner;
}

// Keep the manifests that may hold a live file in a matching partition.
Status EntryPlanner::SelectManifests(const Snapshot& snapshot) {
  FIRN_ASSIGN(std::vector<ManifestFile> manifests, ReadManifests(*io_, snapshot));
  for (ManifestFile& manifest : manifests) {
    const bool is_data = manifest.content == ManifestContent::kData;
    if (is_data) ++statistics_.manifests_total;
    if (!manifest.has_live_files()) continue;
    FIRN_ASSIGN(const SpecPlan* spec, specs_.Find(manifest));
    if (!MightMatchManifest(*spec->projected, *spec->spec, *spec->partition_type, manifest)) {
      continue;
    }
    (is_data ? manifests_ : delete_manifests_).push_back(std::move(manifest));
  }
  statistics_.manifests_read = std::ssize(manifests_);
  return {};
}

Status EntryPlanner::LoadDeletes(Executor& executor) {
  // Manifests of deletes older than all data could be left out by `min_sequence_number`, but a
  // writer that has it wrong would then bring deleted rows back.
  if (manifests_.empty() || delete_manifests_.empty()) return {};
  DeleteLoad load{.io = io_,
                  .metadata = metadata_,
                  .specs = &specs_,
                  .executor = &executor,
                  .cancel = cancel_,
                  .parallel_max = options_.parallel_max};
  for (const ManifestFile& manifest : delete_manifests_)
    load.manifests.push_back(&manifest);
  FIRN_ASSIGN(deletes_, LoadDeleteIndex(load));
  return {};
}

// Columns whose metrics are looked at: those of the filter and of equality deletes.
std::vector<int32_t> EntryPlanner::MetricsFields() const {
  std::set<int32_t> fields = ReferencedFields(*bound_);
  fields.insert(deletes_.equality_field_ids().begin(), deletes_.equality_field_ids().end());
  return {fields.begin(), fields.end()};
}

int64_t EntryPlanner::expected_files() const {
  int64_t files = 0;
  for (const ManifestFile& manifest : manifests_) {
    const int64_t count =
        manifest.added_files_count.value_or(0) + manifest.existing_files_count.value_or(0);
    files = std::min<int64_t>(files + std::max<int64_t>(count, 0), int64_t{1} << 40);
  }
  return files;
}

Result<ScanStatistics> EntryPlanner::ReadDataManifest(
    size_t index, const std::function<Status(MatchedFile&)>& visit) const {
  const ManifestFile& manifest = manifests_[index];
  FIRN_ASSIGN(const SpecPlan* spec, specs_.Find(manifest));
  PartitionCache partitions(*spec, bound_, deletes_);
  ScanStatistics statistics;
  const auto visit_entry = [&](ManifestEntry& entry) -> Status {
    const int64_t number = statistics.files_matched + statistics.files_skipped++;
    if ((number & 1023) == 1023) FIRN_RETURN_IF_ERROR(cancel_.Check());
    DataFile& file = entry.file;
    if (file.content != FileContent::kData || !entry.sequence_number) {
      return MakeError(
          ErrorCode::kCorrupt, "manifest '{}': '{}' {}", manifest.manifest_path, file.file_path,
          file.content == FileContent::kData ? "has no data sequence number"
                                             : "is a delete file in a manifest of data files");
    }
    const PartitionFacts& facts = partitions.Find(file.partition);
    if (facts.is_excluded) return {};
    const bool is_decided = facts.residual->kind() == ExpressionKind::kTrue;
    const ColumnMetrics metrics{.metrics = &file.metrics, .record_count = file.record_count};
    if (!is_decided && !MightMatchMetrics(*facts.residual, *schema_, metrics)) return {};
    MatchedFile matched{.entry = &entry, .residual = facts.residual};
    FIRN_ASSIGN(matched.deletes, deletes_.Find({.file = &file,
                                                .sequence_number = *entry.sequence_number,
                                                .partition = facts.number}));
    --statistics.files_skipped;
    ++statistics.files_matched;
    return visit(matched);
  };
  const bool with_metrics = options_.with_metrics || !metrics_fields_.empty();
  const ManifestReadOptions read_options{
      .with_metrics = with_metrics,
      .with_column_sizes = options_.with_metrics,
      .metrics_field_ids = options_.with_metrics ? nullptr : &metrics_fields_,
      .with_deleted = false,
      .with_counted_columns = true};
  FIRN_RETURN_IF_ERROR(
      ReadManifest(*io_, manifest, *spec->partition_type, read_options, visit_entry));
  return statistics;
}

Status DuplicateCheck::Add(const std::vector<PathKey>& keys,
                           const std::function<std::string(size_t)>& describe) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!paths_.Insert(keys[i])) {
      return MakeError(ErrorCode::kCorrupt, "{} is live twice in one snapshot, expected once",
                       describe(i));
    }
  }
  return {};
}

}  // namespace firn
