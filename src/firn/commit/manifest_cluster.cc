#include <algorithm>
#include <utility>

#include "firn/commit/manifest_cluster_internal.h"
#include "firn/commit/open_manifest_internal.h"

namespace firn {

bool PartitionLess::operator()(const std::vector<Value>& a, const std::vector<Value>& b) const {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const Value& x, const Value& y) { return CompareValues(x, y) < 0; });
}

std::vector<Value> ManifestCluster::SortKey(const StructValue& partition) const {
  std::vector<Value> key;
  for (const size_t field : options_.sort_fields)
    key.push_back(field < partition.fields.size() ? partition.fields[field] : Value());
  return key;
}

Status ManifestCluster::CountPartitions(const std::vector<ManifestFile>& manifests) {
  const auto count = [&](size_t index) -> Status {
    std::map<std::vector<Value>, int64_t, PartitionLess> found;
    FIRN_RETURN_IF_ERROR(ReadManifest(*table_.io, manifests[index], *type_,
                                      {.with_metrics = false, .with_deleted = false},
                                      [&](ManifestEntry& entry) -> Status {
                                        ++found[SortKey(entry.file.partition)];
                                        return {};
                                      }));
    const std::lock_guard lock(mutex_);
    for (auto& [key, number] : found)
      partitions_[key].count += number;
    return {};
  };
  FIRN_RETURN_IF_ERROR(ParallelFor(*context_.executor, manifests.size(), count, context_.cancel));
  for (auto& [key, partition] : partitions_) {
    partition.first = total_count_;
    total_count_ += partition.count;
  }
  return {};
}

// Entries in the order of their partitions, cut into as many equal pieces as there are outputs.
size_t ManifestCluster::ChooseOutput(const StructValue& key_source) {
  Partition& partition = partitions_.find(SortKey(key_source))->second;
  const int64_t place = partition.first + partition.next.fetch_add(1);
  const auto outputs = static_cast<int64_t>(outputs_.size());
  return static_cast<size_t>(
      std::min(place * outputs / std::max<int64_t>(total_count_, 1), outputs - 1));
}

Result<std::unique_ptr<ManifestWriter>> ManifestCluster::OpenOutput() {
  std::string uri;
  {
    const std::lock_guard lock(mutex_);
    uri = names_.NextManifest(*table_.metadata);
  }
  FIRN_ASSIGN(OpenManifest open, OpenNewManifest(table_, {.uri = std::move(uri),
                                                          .content = options_.content,
                                                          .partition_spec_id = options_.spec_id,
                                                          .snapshot_id = options_.snapshot_id}));
  return std::move(open.writer);
}

Status ManifestCluster::Put(ManifestEntry& entry) {
  Output& output = *outputs_[ChooseOutput(entry.file.partition)];
  entry.status = EntryStatus::kExisting;
  ++entry_count_;
  const std::lock_guard lock(output.mutex);
  // Entries are not all of one size.
  const bool is_full =
      output.writer != nullptr && output.writer->bytes_written() > options_.target_bytes / 10 * 12;
  if (is_full) {
    FIRN_ASSIGN(ManifestFile finished, output.writer->Finish());
    output.finished.push_back(std::move(finished));
    output.writer.reset();
  }
  if (output.writer == nullptr) {
    FIRN_ASSIGN(output.writer, OpenOutput());
  }
  return output.writer->Add(entry);
}

Status ManifestCluster::CopyEntries(const ManifestFile& manifest) {
  return ReadManifest(*table_.io, manifest, *type_, {.with_deleted = false},
                      [&](ManifestEntry& entry) { return Put(entry); });
}

Result<std::vector<ManifestFile>> ManifestCluster::Write(
    const std::vector<ManifestFile>& manifests) {
  FIRN_ASSIGN(type_, PartitionTypeOf(*table_.metadata, manifests.front()));
  FIRN_RETURN_IF_ERROR(CountPartitions(manifests));
  int64_t bytes = 0;
  for (const ManifestFile& manifest : manifests)
    bytes += manifest.manifest_length;
  const int64_t count =
      std::max<int64_t>((bytes + options_.target_bytes - 1) / options_.target_bytes, 1);
  for (int64_t i = 0; i < count; ++i)
    outputs_.push_back(std::make_unique<Output>());
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *context_.executor, manifests.size(),
      [&](size_t index) { return CopyEntries(manifests[index]); }, context_.cancel));
  if (entry_count_ != total_count_) {
    return MakeError(ErrorCode::kInternal, "{} entries were written of {}", entry_count_.load(),
                     total_count_);
  }
  const auto finish = [&](size_t index) -> Status {
    Output& output = *outputs_[index];
    if (output.writer == nullptr) return {};
    FIRN_ASSIGN(ManifestFile finished, output.writer->Finish());
    output.finished.push_back(std::move(finished));
    return {};
  };
  FIRN_RETURN_IF_ERROR(ParallelFor(*context_.executor, outputs_.size(), finish, context_.cancel));
  std::vector<ManifestFile> written;
  for (const auto& output : outputs_) {
    std::move(output->finished.begin(), output->finished.end(), std::back_inserter(written));
  }
  return written;
}

}  // namespace firn
