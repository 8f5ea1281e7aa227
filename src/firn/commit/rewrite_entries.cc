#include "firn/commit/rewrite_entries.h"

#include <mutex>
#include <utility>

#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/open_manifest_internal.h"

namespace firn {
namespace {

// Entries that are corrected together.
constexpr size_t kBatchEntries = 256;

struct Rewritten {
  ManifestFile manifest;
  int64_t entries = 0;
  int64_t more_records = 0;
  int64_t more_bytes = 0;
};

class RewriteEntries final : public SnapshotOperation {
 public:
  RewriteEntries(const CommitContext& context, const RewriteEntriesRequest& request,
                 SnapshotId snapshot_id)
      : context_(context), request_(request), snapshot_id_(snapshot_id) {}

  std::string operation() const override { return "replace"; }
  Status Validate(const CommitBase&) override { return {}; }

  Result<StagedSnapshot> Stage(const CommitBase& base, CommitFiles& files) override {
    if (format_version_ != base.table->metadata->format_version) written_.clear();
    format_version_ = base.table->metadata->format_version;
    std::vector<const ManifestFile*> chosen;
    for (const ManifestFile& manifest : base.manifests) {
      if (request_.manifests.contains(manifest.manifest_path)) chosen.push_back(&manifest);
    }
    if (chosen.empty()) {
      return Error(ErrorCode::kCommitConflict,
                   "other writers have written all of the manifests anew meanwhile; run it again");
    }
    FIRN_RETURN_IF_ERROR(ParallelFor(
        *context_.executor, chosen.size(),
        [&](size_t i) { return Provide(base, *chosen[i], files); }, context_.cancel));
    return Build(base);
  }

  int64_t rewritten_count() const { return rewritten_count_; }

 private:
  // Write the manifest anew, unless an earlier attempt did.
  Status Provide(const CommitBase& base, const ManifestFile& manifest, CommitFiles& files) {
    std::string uri;
    {
      const std::lock_guard lock(mutex_);
      if (written_.contains(CopyKey(manifest))) return {};
      uri = files.NextManifest(*base.table->metadata);
    }
    FIRN_ASSIGN(OpenManifest open,
                OpenNewManifest(*base.table, {.uri = std::move(uri),
                                              .content = manifest.content,
                                              .partition_spec_id = manifest.partition_spec_id,
                                              .snapshot_id = snapshot_id_}));
    Rewritten rewritten;
    std::vector<ManifestEntry> batch;
    FIRN_RETURN_IF_ERROR(ReadManifest(*base.table->io, manifest, *open.partition_type,
                                      {.with_deleted = false}, [&](ManifestEntry& entry) -> Status {
                                        batch.push_back(std::move(entry));
                                        if (batch.size() < kBatchEntries) return {};
                                        return Put(batch, *open.writer, rewritten);
                                      }));
    FIRN_RETURN_IF_ERROR(Put(batch, *open.writer, rewritten));
    FIRN_ASSIGN(rewritten.manifest, open.writer->Finish());
    const std::lock_guard lock(mutex_);
    written_.emplace(CopyKey(manifest), std::move(rewritten));
    return {};
  }

  Status Put(std::vector<ManifestEntry>& batch, ManifestWriter& writer, Rewritten& rewritten) {
    FIRN_RETURN_IF_ERROR(context_.cancel.Check());
    for (const ManifestEntry& entry : batch) {
      rewritten.more_records -= entry.file.record_count;
      rewritten.more_bytes -= entry.file.file_size_in_bytes;
    }
    FIRN_RETURN_IF_ERROR(request_.correct(batch));
    for (ManifestEntry& entry : batch) {
      entry.status = EntryStatus::kExisting;
      rewritten.more_records += entry.file.record_count;
      rewritten.more_bytes += entry.file.file_size_in_bytes;
      FIRN_RETURN_IF_ERROR(writer.Add(entry));
    }
    rewritten.entries += std::ssize(batch);
    batch.clear();
    return {};
  }

  StagedSnapshot Build(const CommitBase& base) {
    StagedSnapshot staged;
    int64_t entries = 0;
    std::vector<ManifestFile> kept;
    for (const ManifestFile& manifest : base.manifests) {
      const auto written = written_.find(CopyKey(manifest));
      if (written == written_.end()) {
        kept.push_back(manifest);
        continue;
      }
      staged.manifests.push_back(written->second.manifest);
      staged.summary.Correct(written->second.more_records, written->second.more_bytes);
      entries += written->second.entries;
    }
    rewritten_count_ = std::ssize(staged.manifests);
    const std::string count = std::to_string(rewritten_count_);
    staged.summary.Set("manifests-created", count);
    staged.summary.Set("manifests-replaced", count);
    staged.summary.Set("manifests-kept", std::to_string(kept.size()));
    staged.summary.Set("entries-processed", std::to_string(entries));
    staged.manifests.insert(staged.manifests.end(), kept.begin(), kept.end());
    return staged;
  }

  const CommitContext& context_;
  const RewriteEntriesRequest& request_;
  const SnapshotId snapshot_id_;
  int format_version_ = 0;                    // Of what is written.
  std::mutex mutex_;                          // Guards what follows, and the names of new files.
  std::map<std::string, Rewritten> written_;  // By the CopyKey of the original.
  int64_t rewritten_count_ = 0;
};

}  // namespace

Result<RewriteEntriesResult> CommitRewriteEntries(const CommitContext& context,
                                                  const Table& planned,
                                                  const RewriteEntriesRequest& request) {
  SnapshotOptions options;
  options.summary_properties = request.summary_properties;
  const SnapshotId id = NewSnapshotId(*planned.metadata, *context.random);
  RewriteEntries operation(context, request, id);
  RewriteEntriesResult result;
  FIRN_ASSIGN(result.commit, RunCommitLoop(context, planned, {id, options, &operation}));
  result.rewritten_manifests_count = operation.rewritten_count();
  return result;
}

}  // namespace firn
