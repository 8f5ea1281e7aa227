#include "firn/commit/manifest_exchange_internal.h"

namespace firn {

ManifestExchange::ManifestExchange(ManifestContent content, const std::vector<DataFile>& removed,
                                   const std::vector<DataFile>& added, SnapshotId snapshot_id,
                                   std::optional<int64_t> data_sequence_number)
    : content_(content),
      added_files_(added),
      added_(content, added, snapshot_id, data_sequence_number),
      filter_(content, removed, snapshot_id),
      merger_(snapshot_id) {}

Result<std::vector<ManifestFile>> ManifestExchange::Stage(const CommitContext& context,
                                                          const CommitBase& base,
                                                          CommitFiles& files,
                                                          SnapshotSummary& summary) {
  FIRN_ASSIGN(const ManifestFilter::Outcome kept,
              filter_.Apply(context, *base.table, files, base.ManifestsOf(content_)));
  const bool is_data = content_ == ManifestContent::kData;
  if ((is_data || requires_deletes_) && !kept.missing.empty()) {
    return MakeError(ErrorCode::kCommitConflict,
                     "{} file '{}' ({} in all) was removed or rewritten by another writer after "
                     "the operation began; run it again",
                     is_data ? "data" : "delete", kept.missing.front(), kept.missing.size());
  }
  FIRN_ASSIGN(std::vector<ManifestFile> manifests, added_.Get(context, *base.table, files));
  manifests.insert(manifests.end(), kept.manifests.begin(), kept.manifests.end());
  for (const DataFile& file : added_files_) {
    summary.Add(*base.table->metadata, file);
  }
  for (const DataFile& file : kept.removed) {
    summary.Remove(*base.table->metadata, file);
  }
  return merger_.Merge(context, *base.table, files, manifests);
}

}  // namespace firn
