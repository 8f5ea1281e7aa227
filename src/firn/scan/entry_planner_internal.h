#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "firn/scan/delete_loader_internal.h"

/// The common part of planning and counting: every live data file that may match, with what the
/// partition decides and the deletes that apply. For this module only.

namespace firn {

/// A data file on its way into a task; valid during the call.
struct MatchedFile {
  ManifestEntry* entry = nullptr;  ///< May be moved from.
  ExpressionPtr residual;
  std::vector<DeleteFilePtr> deletes;
};

/// Everything that planning needs, made once; immutable while manifests are read.
class EntryPlanner {
 public:
  /// Reads the manifest list and the delete manifests.
  static Result<EntryPlanner> Make(FileIO& io, const TableMetadata& metadata,
                                   const ScanOptions& options, Executor& executor,
                                   const CancelToken& cancel);

  /// Data manifests to read, in the order of the snapshot.
  const std::vector<ManifestFile>& manifests() const { return manifests_; }
  const SchemaPtr& schema() const { return schema_; }
  /// `manifests_total` and `manifests_read`.
  const ScanStatistics& statistics() const { return statistics_; }
  int64_t expected_files() const;

  /// Call `visit` for each matching file of manifest `index`; returns the counts of its files.
  /// Thread-safe for different manifests.
  Result<ScanStatistics> ReadDataManifest(size_t index,
                                          const std::function<Status(MatchedFile&)>& visit) const;

 private:
  Status SelectManifests(const Snapshot& snapshot);
  Status LoadDeletes(Executor& executor);
  std::vector<int32_t> MetricsFields() const;

  FileIO* io_ = nullptr;
  const TableMetadata* metadata_ = nullptr;
  ScanOptions options_;
  CancelToken cancel_;
  SchemaPtr schema_;
  ExpressionPtr bound_;
  SpecPlans specs_;
  std::vector<ManifestFile> manifests_;
  std::vector<ManifestFile> delete_manifests_;
  DeleteIndex deletes_;
  std::vector<int32_t> metrics_fields_;
  ScanStatistics statistics_;
};

/// Refuses a data file that is live twice. Thread-safe.
class DuplicateCheck {
 public:
  explicit DuplicateCheck(int64_t expected_files)
      : paths_(static_cast<size_t>(expected_files < 0 ? 0 : expected_files)) {}

  /// `describe` names the file of a key in the message. Errors: kCorrupt.
  Status Add(const std::vector<PathKey>& keys, const std::function<std::string(size_t)>& describe);

 private:
  std::mutex mutex_;
  PathSet paths_;
};

}  // namespace firn
