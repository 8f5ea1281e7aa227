#include "firn/maintain/cycle/step_cost.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace firn {
namespace {

constexpr int64_t kPieceBytes = int64_t{8} << 20;  // Of one read.
constexpr int64_t kEntryBytes = 150;               // In a manifest, compressed.
constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kSecondsPerHour = 3600;

int64_t Pieces(int64_t bytes) { return (bytes + kPieceBytes - 1) / kPieceBytes; }

int64_t StoredBytes(const DataFile& file) {
  return file.is_deletion_vector() ? file.content_size_in_bytes.value_or(0)
                                   : file.file_size_in_bytes;
}

// The part of the file that its rows take that are left, as far as delete files of its own tell.
int64_t LiveBytes(const FileScanTask& task) {
  int64_t deleted = 0;
  for (const DeleteFilePtr& file : task.deletes) {
    if (file->file.referenced_data_file) deleted += file->file.record_count;
  }
  if (task.file.record_count <= 0) return task.file.file_size_in_bytes;
  const double share = std::clamp(
      1 - static_cast<double>(deleted) / static_cast<double>(task.file.record_count), 0.0, 1.0);
  return static_cast<int64_t>(share * static_cast<double>(task.file.file_size_in_bytes));
}

void Add(IoTotals& totals, const IoTotals& more) {
  totals.requests += more.requests;
  totals.bytes_read += more.bytes_read;
  totals.bytes_written += more.bytes_written;
}

}  // namespace

StepCost MakeStepCost(const IoTotals& totals, std::optional<double> seconds,
                      const CostRates& rates) {
  const auto bytes = static_cast<double>(totals.bytes_read + totals.bytes_written);
  StepCost cost{.bytes_read = totals.bytes_read,
                .bytes_written = totals.bytes_written,
                .requests = totals.requests,
                .seconds = seconds.value_or(bytes / rates.bytes_per_second)};
  if (rates.dollars_per_gib || rates.dollars_per_thousand_requests || rates.dollars_per_hour) {
    cost.dollars = bytes / kGib * rates.dollars_per_gib.value_or(0) +
                   static_cast<double>(totals.requests) / 1000 *
                       rates.dollars_per_thousand_requests.value_or(0) +
                   cost.seconds / kSecondsPerHour * rates.dollars_per_hour.value_or(0);
  }
  return cost;
}

IoTotals EstimateManifests(const std::vector<ManifestFile>& manifests, int64_t rewritten_bytes,
                           int passes) {
  IoTotals totals{.requests = passes};  // Manifest lists.
  for (const ManifestFile& manifest : manifests) {
    totals.requests += passes;
    totals.bytes_read += passes * manifest.manifest_length;
  }
  constexpr int64_t kWrittenFiles = 2;  // A manifest, and a list.
  if (rewritten_bytes > 0) totals.requests += kWrittenFiles;
  totals.bytes_written += rewritten_bytes;
  return totals;
}

int64_t EstimateRewrittenManifests(const std::vector<ManifestFile>& manifests) {
  if (manifests.empty()) return 0;
  const auto live_of = [](const ManifestFile& manifest) {
    return manifest.added_files_count.value_or(0) + manifest.existing_files_count.value_or(0);
  };
  const auto entries_of = [&](const ManifestFile& manifest) {
    return live_of(manifest) + manifest.deleted_files_count.value_or(0);
  };
  // Of the schema and the like, which every manifest has: what the smallest has besides entries.
  int64_t header = INT64_MAX;
  for (const ManifestFile& manifest : manifests) {
    const int64_t rest = manifest.manifest_length - kEntryBytes * entries_of(manifest);
    header = std::min(header, std::max<int64_t>(rest, 0));
  }
  constexpr double kListBytes = 2048;
  double bytes = kListBytes + static_cast<double>(header);
  for (const ManifestFile& manifest : manifests) {
    const int64_t entries = std::max<int64_t>(entries_of(manifest), 1);
    const double share = static_cast<double>(live_of(manifest)) / static_cast<double>(entries);
    bytes += share * static_cast<double>(manifest.manifest_length - header);
  }
  return static_cast<int64_t>(bytes);
}

IoTotals EstimateCompaction(const std::vector<const FileGroup*>& groups,
                            const std::vector<ManifestFile>& manifests) {
  IoTotals totals;
  std::set<std::pair<std::string, int64_t>> deletes;
  int64_t entries = 0;
  for (const FileGroup* group : groups) {
    for (const FileScanTask& task : group->inputs) {
      ++entries;
      totals.requests += 1 + Pieces(task.file.file_size_in_bytes);  // The footer, and the rows.
      totals.bytes_read += task.file.file_size_in_bytes;
      totals.bytes_written += LiveBytes(task);
      for (const DeleteFilePtr& file : task.deletes) {
        const DataFile& stored = file->file;
        if (!deletes.emplace(stored.file_path, stored.content_offset.value_or(0)).second) continue;
        totals.requests += 1 + Pieces(StoredBytes(stored));
        totals.bytes_read += StoredBytes(stored);
      }
    }
    totals.requests += group->expected_outputs;
  }
  // Manifests are read to look, to plan, to commit and for the deletes that go. A commit writes a
  // manifest for what it adds, one for what it takes out, of an entry for each input, and a list.
  constexpr int kPasses = 4;
  constexpr int64_t kCommitBytes = int64_t{18} << 10;
  Add(totals, EstimateManifests(manifests, kCommitBytes + entries * kEntryBytes, kPasses));
  return totals;
}

}  // namespace firn
