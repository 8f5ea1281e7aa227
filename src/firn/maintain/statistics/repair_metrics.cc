#include "firn/maintain/statistics/repair_metrics.h"

#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include "firn/commit/rewrite_entries.h"
#include "firn/maintain/statistics/metrics_check_internal.h"

namespace firn {
namespace {

// Files whose footers are read at one time for one manifest.
constexpr size_t kBatchFiles = 256;

class Repair {
 public:
  Repair(const MaintainContext& context, const Table& table, const RepairMetricsOptions& options)
      : context_(context), table_(table), options_(options) {}

  Status Open() {
    const TableMetadata& metadata = *table_.metadata;
    schema_ = metadata.current_schema();
    read_ = {.io = table_.io,
             .metadata = table_.metadata,
             .executor = context_.commit.executor,
             .budget = context_.budget,
             .cancel = context_.commit.cancel};
    const std::string mapping = metadata.Property("schema.name-mapping.default", "");
    if (mapping.empty()) return {};
    FIRN_ASSIGN(names_, ParseNameMapping(mapping), "table property 'schema.name-mapping.default'");
    return {};
  }

  // Look at all entries; remember the manifests that have something wrong.
  Status Check(const VisitDifference& visit) {
    const Snapshot* head = table_.metadata->current_snapshot();
    if (head == nullptr) return {};
    FIRN_ASSIGN(const auto manifests, ReadManifests(*table_.io, *head));
    for (const ManifestFile& manifest : manifests) {
      if (manifest.content != ManifestContent::kData || !manifest.has_live_files()) continue;
      const PartitionSpecPtr spec = table_.metadata->FindSpec(manifest.partition_spec_id);
      if (spec == nullptr) {
        return MakeError(ErrorCode::kCorrupt, "manifest '{}' has the unknown partition spec {}",
                         manifest.manifest_path, manifest.partition_spec_id);
      }
      const TypePtr type = PartitionType(*spec, table_.metadata->SchemasNewestFirst());
      const int64_t before = result_.wrong_files_count;
      std::vector<ManifestEntry> batch;
      FIRN_RETURN_IF_ERROR(ReadManifest(*table_.io, manifest, *type, {.with_deleted = false},
                                        [&](ManifestEntry& entry) -> Status {
                                          batch.push_back(std::move(entry));
                                          if (batch.size() < kBatchFiles) return {};
                                          return Take(batch, visit);
                                        }));
      FIRN_RETURN_IF_ERROR(Take(batch, visit));
      if (result_.wrong_files_count > before) wrong_manifests_.insert(manifest.manifest_path);
    }
    return {};
  }

  Status Commit() {
    result_.table = table_;
    if (wrong_manifests_.empty()) return {};
    RewriteEntriesRequest request;
    request.manifests = wrong_manifests_;
    request.correct = [this](std::span<ManifestEntry> entries) { return Correct(entries, {}); };
    FIRN_ASSIGN(RewriteEntriesResult done, CommitRewriteEntries(context_.commit, table_, request));
    result_.rewritten_manifests_count = done.rewritten_manifests_count;
    result_.snapshot_id = done.commit.snapshot_id;
    result_.table = std::move(done.commit.table);
    return {};
  }

  RepairMetricsResult TakeResult() { return std::move(result_); }

 private:
  using Differences = std::vector<MetricsDifference>;

  Status Take(std::vector<ManifestEntry>& batch, const VisitDifference& visit) {
    FIRN_RETURN_IF_ERROR(context_.commit.cancel.Check());
    std::vector<Differences> found(batch.size());
    FIRN_RETURN_IF_ERROR(Correct(
        batch, [&](size_t i, Differences differences) { found[i] = std::move(differences); }));
    for (const Differences& of_file : found) {
      if (!of_file.empty()) ++result_.wrong_files_count;
      if (!visit) continue;
      for (const MetricsDifference& difference : of_file)
        FIRN_RETURN_IF_ERROR(visit(difference));
    }
    result_.checked_files_count += std::ssize(batch);
    if (context_.progress) {
      context_.progress({.phase = "checking", .files_done = result_.checked_files_count});
    }
    batch.clear();
    return {};
  }

  Status Correct(std::span<ManifestEntry> entries,
                 const std::function<void(size_t, Differences)>& take) const {
    return ParallelFor(
        *context_.commit.executor, entries.size(),
        [&](size_t i) -> Status {
          DataFile& file = entries[i].file;
          // What is encrypted by Iceberg's means is not read.
          if (file.key_metadata) return {};
          FIRN_ASSIGN(const FileFacts facts,
                      ReadFileFacts(read_, {.path = file.file_path,
                                            .format = file.file_format,
                                            .schema = schema_,
                                            .names = names_ ? &*names_ : nullptr,
                                            .reads_rows = options_.reads_rows}));
          Differences differences = CorrectMetrics(*schema_, facts, file);
          if (take) take(i, std::move(differences));
          return {};
        },
        context_.commit.cancel);
  }

  const MaintainContext& context_;
  const Table& table_;
  const RepairMetricsOptions& options_;
  SchemaPtr schema_;
  ReadContext read_;
  std::optional<NameMapping> names_;
  std::set<std::string> wrong_manifests_;
  RepairMetricsResult result_;
};

}  // namespace

Result<RepairMetricsResult> CheckMetrics(const MaintainContext& context, const Table& table,
                                         const RepairMetricsOptions& options,
                                         const VisitDifference& visit) {
  Repair repair(context, table, options);
  FIRN_RETURN_IF_ERROR(repair.Open());
  FIRN_RETURN_IF_ERROR(repair.Check(visit));
  return repair.TakeResult();
}

Result<RepairMetricsResult> RepairMetrics(const MaintainContext& context, const Table& table,
                                          const RepairMetricsOptions& options) {
  Repair repair(context, table, options);
  FIRN_RETURN_IF_ERROR(repair.Open());
  FIRN_RETURN_IF_ERROR(repair.Check(nullptr));
  FIRN_RETURN_IF_ERROR(repair.Commit());
  return repair.TakeResult();
}

}  // namespace firn
