#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "firn/base/text.h"
#include "firn/commit/manifest_merge_internal.h"
#include "firn/commit/open_manifest_internal.h"

namespace firn {
namespace {

using Bin = std::vector<ManifestFile>;

/// Fill bins from the oldest manifest on, so that full old bins stay the same from commit to commit
/// and only the newest bin changes. Returns bins newest first, each in list order.
std::vector<Bin> PackFromTheEnd(const std::vector<ManifestFile>& manifests, int64_t target_bytes) {
  std::vector<Bin> bins;
  int64_t bin_bytes = 0;
  for (auto at = manifests.rbegin(); at != manifests.rend(); ++at) {
    if (bins.empty() || bin_bytes + at->manifest_length > target_bytes) {
      bins.emplace_back();
      bin_bytes = 0;
    }
    bins.back().push_back(*at);
    bin_bytes += at->manifest_length;
  }
  std::reverse(bins.begin(), bins.end());
  for (Bin& bin : bins) {
    std::reverse(bin.begin(), bin.end());
  }
  return bins;
}

std::string BinKey(const Bin& bin) {
  std::string key;
  for (const ManifestFile& manifest : bin) {
    key += CopyKey(manifest);
    key += '\n';
  }
  return key;
}

/// What an entry becomes in a merged manifest; false if it is dropped.
bool Carry(ManifestEntry& entry, SnapshotId snapshot_id) {
  const bool is_ours = entry.snapshot_id == snapshot_id;
  if (entry.status == EntryStatus::kDeleted) {
    return is_ours;
  }
  if (entry.status == EntryStatus::kAdded && is_ours) {
    // Numbers that the commit assigns stay open; one that the writer pinned stays pinned.
    if (entry.sequence_number == kUnassignedSequenceNumber) {
      entry.sequence_number.reset();
    }
    entry.file_sequence_number.reset();
    return true;
  }
  entry.status = EntryStatus::kExisting;
  return true;
}

}  // namespace

Result<ManifestFile> ManifestMerger::MergeBin(const Table& base, const std::string& uri,
                                              const Bin& bin) const {
  FIRN_ASSIGN(const OpenManifest merged,
              OpenNewManifest(base, {.uri = uri,
                                     .content = bin.front().content,
                                     .partition_spec_id = bin.front().partition_spec_id,
                                     .snapshot_id = snapshot_id_}));
  for (const ManifestFile& manifest : bin) {
    FIRN_RETURN_IF_ERROR(ReadManifest(
        *base.io, manifest, *merged.partition_type, {}, [&](ManifestEntry& entry) -> Status {
          return Carry(entry, snapshot_id_) ? merged.writer->Add(entry) : Status();
        }));
  }
  return merged.writer->Finish();
}

Result<std::vector<ManifestFile>> ManifestMerger::Merge(
    const CommitContext& context, const Table& base, CommitFiles& files,
    const std::vector<ManifestFile>& manifests) {
  const TableMetadata& metadata = *base.metadata;
  if (manifests.empty() ||
      !EqualsIgnoreCase(metadata.Property("commit.manifest-merge.enabled", "true"), "true")) {
    return manifests;
  }
  if (format_version_ != metadata.format_version) done_.clear();
  format_version_ = metadata.format_version;
  FIRN_ASSIGN(const int64_t target_bytes,
              metadata.IntProperty("commit.manifest.target-size-bytes", 8 * 1024 * 1024));
  FIRN_ASSIGN(const int64_t count_min,
              metadata.IntProperty("commit.manifest.min-count-to-merge", 100));
  std::map<int32_t, std::vector<ManifestFile>, std::greater<>> by_spec;
  for (const ManifestFile& manifest : manifests) {
    by_spec[manifest.partition_spec_id].push_back(manifest);
  }
  const std::string& newest = manifests.front().manifest_path;
  std::vector<Bin> bins;
  std::vector<size_t> pending;
  std::vector<std::string> uris;
  for (const auto& [spec_id, of_spec] : by_spec) {
    for (Bin& bin : PackFromTheEnd(of_spec, target_bytes)) {
      const bool is_newest = bin.front().manifest_path == newest;
      const bool is_merged =
          bin.size() > 1 && (!is_newest || static_cast<int64_t>(bin.size()) >= count_min);
      if (is_merged && !done_.contains(BinKey(bin))) {
        pending.push_back(bins.size());
        uris.push_back(files.NextManifest(metadata));
      }
      bins.push_back(std::move(bin));
    }
  }
  std::mutex mutex;
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *context.executor, pending.size(),
      [&](size_t i) -> Status {
        const Bin& bin = bins[pending[i]];
        FIRN_ASSIGN(ManifestFile merged, MergeBin(base, uris[i], bin));
        const std::lock_guard lock(mutex);
        done_.emplace(BinKey(bin), std::move(merged));
        return {};
      },
      context.cancel));
  std::vector<ManifestFile> result;
  for (const Bin& bin : bins) {
    if (const auto merged = done_.find(BinKey(bin)); merged != done_.end()) {
      result.push_back(merged->second);
    } else {
      result.insert(result.end(), bin.begin(), bin.end());
    }
  }
  return result;
}

}  // namespace firn
