#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "firn/commit/manifest_filter_internal.h"
#include "firn/commit/open_manifest_internal.h"

namespace firn {
namespace {

/// Beyond this many distinct partitions a manifest's summary is not worth testing.
constexpr size_t kPartitionsTestedMax = 1000;

bool MayHoldValue(const FieldSummary& summary, const Type& type, const Value& value) {
  if (value.is_null()) {
    return summary.contains_null;
  }
  if (!type.is_primitive() || type.is_float() || !summary.lower_bound || !summary.upper_bound) {
    return true;  // NaN is in no bound, and an absent bound tells nothing that is safe to use here.
  }
  const Value lower = FromBoundBytes(AsBytes(*summary.lower_bound), type);
  const Value upper = FromBoundBytes(AsBytes(*summary.upper_bound), type);
  if (lower.is_null() || upper.is_null() || CompareValues(lower, upper) > 0) {
    return true;
  }
  return CompareValues(lower, value) <= 0 && CompareValues(value, upper) <= 0;
}

bool MayHoldPartition(const std::vector<FieldSummary>& summaries, const Type& partition_type,
                      const StructValue& partition) {
  const size_t count = std::min(summaries.size(), partition.fields.size());
  for (size_t i = 0; i < count && i < partition_type.fields().size(); ++i) {
    if (!MayHoldValue(summaries[i], *partition_type.fields()[i].type, partition.fields[i])) {
      return false;
    }
  }
  return true;
}

bool HoldsPartition(const std::vector<StructValue>& partitions, const StructValue& partition) {
  return std::any_of(partitions.begin(), partitions.end(),
                     [&](const StructValue& other) { return other.fields == partition.fields; });
}

uint64_t HashPartition(const StructValue& partition) {
  uint64_t hash = 0;
  for (const Value& value : partition.fields)
    hash = hash * 31 + HashValue(value);
  return hash;
}

}  // namespace

std::vector<DataFile> FilesOf(const std::vector<DeleteFilePtr>& deletes) {
  std::vector<DataFile> files;
  files.reserve(deletes.size());
  for (const DeleteFilePtr& file : deletes) {
    files.push_back(file->file);
  }
  return files;
}

ManifestFilter::ManifestFilter(ManifestContent content, const std::vector<DataFile>& files,
                               SnapshotId snapshot_id)
    : content_(content), snapshot_id_(snapshot_id) {
  for (const DataFile& file : files) {
    keys_.emplace(FileKey(file), file.file_path);
    AddPartition(file.partition_spec_id, file.partition);
  }
}

void ManifestFilter::AddPartition(int32_t spec_id, const StructValue& partition) {
  std::vector<StructValue>& known = partitions_[spec_id];
  if (known.size() <= kPartitionsTestedMax && !HoldsPartition(known, partition)) {
    known.push_back(partition);
  }
}

void ManifestFilter::DropPartitions(const std::vector<PartitionKey>& partitions) {
  for (const PartitionKey& key : partitions) {
    AddPartition(key.spec_id, key.partition);
    std::vector<StructValue>& known = dropped_[key.spec_id][HashPartition(key.partition)];
    if (!HoldsPartition(known, key.partition)) known.push_back(key.partition);
  }
}

bool ManifestFilter::IsTakenOut(const DataFile& file) const {
  if (drops_all_ || keys_.contains(FileKey(file))) return true;
  const auto dropped = dropped_.find(file.partition_spec_id);
  if (dropped == dropped_.end()) return false;
  const auto found = dropped->second.find(HashPartition(file.partition));
  return found != dropped->second.end() && HoldsPartition(found->second, file.partition);
}

bool ManifestFilter::MayName(const TableMetadata& metadata, const ManifestFile& manifest) const {
  if (!manifest.has_live_files()) return false;
  if (drops_all_) return true;
  const auto found = partitions_.find(manifest.partition_spec_id);
  if (found == partitions_.end()) return false;
  const PartitionSpecPtr spec = metadata.FindSpec(manifest.partition_spec_id);
  if (!manifest.partitions || spec == nullptr || found->second.size() > kPartitionsTestedMax) {
    return true;
  }
  const TypePtr type = PartitionType(*spec, metadata.SchemasNewestFirst());
  return std::any_of(found->second.begin(), found->second.end(), [&](const StructValue& values) {
    return MayHoldPartition(*manifest.partitions, *type, values);
  });
}

Result<bool> ManifestFilter::Names(FileIO& io, const ManifestFile& manifest,
                                   const Type& partition_type) const {
  bool is_named = false;
  const ManifestReadOptions options{.with_metrics = false, .with_deleted = false};
  FIRN_RETURN_IF_ERROR(
      ReadManifest(io, manifest, partition_type, options, [&](ManifestEntry& entry) -> Status {
        is_named = is_named || IsTakenOut(entry.file);
        return {};
      }));
  return is_named;
}

Result<ManifestFilter::Filtered> ManifestFilter::FilterOne(const Table& base,
                                                           const ManifestFile& manifest,
                                                           const std::string& copy_uri) const {
  FIRN_ASSIGN(const TypePtr partition_type, PartitionTypeOf(*base.metadata, manifest));
  FIRN_ASSIGN(const bool is_named, Names(*base.io, manifest, *partition_type));
  Filtered filtered;
  if (!is_named) {
    return filtered;
  }
  FIRN_ASSIGN(const OpenManifest copy,
              OpenNewManifest(base, {.uri = copy_uri,
                                     .content = content_,
                                     .partition_spec_id = manifest.partition_spec_id,
                                     .snapshot_id = snapshot_id_}));
  const auto copy_entry = [&](ManifestEntry& entry) -> Status {
    if (IsTakenOut(entry.file)) {
      entry.status = EntryStatus::kDeleted;
      entry.snapshot_id = snapshot_id_;
      filtered.removed.push_back(entry.file);
    } else {
      entry.status = EntryStatus::kExisting;
    }
    return copy.writer->Add(entry);
  };
  FIRN_RETURN_IF_ERROR(
      ReadManifest(*base.io, manifest, *partition_type, {.with_deleted = false}, copy_entry));
  FIRN_ASSIGN(filtered.copy, copy.writer->Finish());
  return filtered;
}

Result<ManifestFilter::Outcome> ManifestFilter::Apply(const CommitContext& context,
                                                      const Table& base, CommitFiles& files,
                                                      const std::vector<ManifestFile>& manifests) {
  // A manifest of version 1 has no sequence numbers, which its copies need in later versions.
  if (format_version_ != base.metadata->format_version) done_.clear();
  format_version_ = base.metadata->format_version;
  std::vector<const ManifestFile*> pending;
  std::vector<std::string> copy_uris;
  for (const ManifestFile& manifest : manifests) {
    if (!done_.contains(CopyKey(manifest)) && MayName(*base.metadata, manifest)) {
      pending.push_back(&manifest);
      copy_uris.push_back(files.NextManifest(*base.metadata));
    }
  }
  std::mutex mutex;
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *context.executor, pending.size(),
      [&](size_t i) -> Status {
        FIRN_ASSIGN(Filtered filtered, FilterOne(base, *pending[i], copy_uris[i]));
        const std::lock_guard lock(mutex);
        done_.emplace(CopyKey(*pending[i]), std::move(filtered));
        return {};
      },
      context.cancel));

  Outcome outcome;
  std::unordered_set<std::string> found;
  for (const ManifestFile& manifest : manifests) {
    const auto filtered = done_.find(CopyKey(manifest));
    if (filtered == done_.end() || !filtered->second.copy) {
      if (manifest.has_live_files()) {
        outcome.manifests.push_back(manifest);
      }
      continue;
    }
    outcome.manifests.push_back(*filtered->second.copy);
    for (const DataFile& file : filtered->second.removed) {
      if (!found.insert(FileKey(file)).second) {
        return MakeError(ErrorCode::kCorrupt, "file '{}' is live in two manifest entries",
                         file.file_path);
      }
      outcome.removed.push_back(file);
    }
  }
  for (const auto& [key, path] : keys_) {
    if (!found.contains(key)) {
      outcome.missing.push_back(path);
    }
  }
  std::sort(outcome.missing.begin(), outcome.missing.end());
  return outcome;
}

}  // namespace firn
