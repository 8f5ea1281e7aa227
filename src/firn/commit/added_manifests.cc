#include <algorithm>
#include <map>
#include <utility>

#include "firn/commit/added_manifests_internal.h"
#include "firn/commit/open_manifest_internal.h"

namespace firn {
namespace {

// Files that are worth a writer of their own.
constexpr size_t kFilesPerWriter = 10'000;
// Entries between two looks at the size of the manifest.
constexpr size_t kEntriesBetweenChecks = 250;

}  // namespace

std::vector<AddedManifests::Run> AddedManifests::SplitIntoRuns(size_t workers_max) const {
  std::map<int32_t, std::vector<const DataFile*>> by_spec;
  for (const DataFile& file : files_) {
    by_spec[file.partition_spec_id].push_back(&file);
  }
  std::vector<Run> runs;
  for (const auto& [spec_id, of_spec] : by_spec) {
    const size_t wanted = (of_spec.size() + kFilesPerWriter / 2) / kFilesPerWriter;
    const size_t count = std::clamp<size_t>(wanted, 1, std::max<size_t>(workers_max, 1));
    for (size_t i = 0; i < count; ++i) {
      const auto begin = of_spec.begin() + static_cast<ptrdiff_t>(of_spec.size() * i / count);
      const auto end = of_spec.begin() + static_cast<ptrdiff_t>(of_spec.size() * (i + 1) / count);
      runs.push_back({.spec_id = spec_id, .files = {begin, end}, .manifests = {}});
    }
  }
  return runs;
}

std::optional<int64_t> AddedManifests::SequenceNumberOf(const DataFile* file) const {
  if (sequence_numbers_.empty()) return data_sequence_number_;
  return sequence_numbers_[static_cast<size_t>(file - files_.data())];
}

Status AddedManifests::WriteRun(const Table& base, CommitFiles& names, int64_t target_bytes,
                                Run& run) {
  OpenManifest open;
  const auto finish = [&]() -> Status {
    FIRN_ASSIGN(ManifestFile manifest, open.writer->Finish());
    run.manifests.push_back(std::move(manifest));
    open.writer.reset();
    return {};
  };
  size_t entries = 0;
  for (const DataFile* file : run.files) {
    if (open.writer == nullptr) {
      NewManifest manifest{.uri = {},
                           .content = content_,
                           .partition_spec_id = run.spec_id,
                           .snapshot_id = snapshot_id_};
      {
        const std::lock_guard lock(names_mutex_);
        manifest.uri = names.NextManifest(*base.metadata);
      }
      FIRN_ASSIGN(open, OpenNewManifest(base, manifest));
    }
    FIRN_RETURN_IF_ERROR(open.writer->Add({.status = EntryStatus::kAdded,
                                           .snapshot_id = snapshot_id_,
                                           .sequence_number = SequenceNumberOf(file),
                                           .file_sequence_number = std::nullopt,
                                           .file = *file}));
    const bool is_checked = ++entries % kEntriesBetweenChecks == 0;
    if (is_checked && open.writer->bytes_written() >= target_bytes) FIRN_RETURN_IF_ERROR(finish());
  }
  return open.writer == nullptr ? Status() : finish();
}

Result<std::vector<ManifestFile>> AddedManifests::Get(const CommitContext& context,
                                                      const Table& base, CommitFiles& names) {
  const TableMetadata& metadata = *base.metadata;
  for (const DataFile& file : files_) {
    if (metadata.FindSpec(file.partition_spec_id) != nullptr) continue;
    return MakeError(ErrorCode::kCommitConflict,
                     "partition spec {} of the added file '{}' is no longer in the table",
                     file.partition_spec_id, file.file_path);
  }
  if (written_ && format_version_ == metadata.format_version) return *written_;
  format_version_ = metadata.format_version;
  FIRN_ASSIGN(const int64_t target_bytes,
              metadata.IntProperty("commit.manifest.target-size-bytes", 8 * 1024 * 1024));
  std::vector<Run> runs = SplitIntoRuns(context.executor->concurrency());
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *context.executor, runs.size(),
      [&](size_t i) { return WriteRun(base, names, target_bytes, runs[i]); }, context.cancel));
  std::vector<ManifestFile> manifests;
  for (Run& run : runs) {
    std::move(run.manifests.begin(), run.manifests.end(), std::back_inserter(manifests));
  }
  written_ = manifests;
  return manifests;
}

}  // namespace firn
