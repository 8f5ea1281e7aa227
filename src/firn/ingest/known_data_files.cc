#include <mutex>

#include <fmt/ranges.h>

#include "firn/change/replace_rows.h"
#include "firn/ingest/known_data_files_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr size_t kNamesMax = 10;

}  // namespace

KnownDataFiles::KnownDataFiles(const std::vector<DataFile>& wanted) {
  for (const DataFile& file : wanted)
    keys_.insert(CanonicalUriKey(file.file_path));
}

Status KnownDataFiles::Check(FileIO& io, const TableMetadata& metadata, const std::string& branch,
                             Executor& executor, const CancelToken& cancel) {
  FIRN_ASSIGN(const auto head, FindHead(metadata, branch));
  if (!head) return {};
  FIRN_ASSIGN(const auto manifests, ReadManifests(io, *metadata.FindSnapshot(*head)));
  std::vector<const ManifestFile*> unseen;
  for (const ManifestFile& manifest : manifests) {
    const bool is_wanted = manifest.content == ManifestContent::kData && manifest.has_live_files();
    if (is_wanted && seen_.insert(manifest.manifest_path).second) unseen.push_back(&manifest);
  }
  std::mutex mutex;
  std::vector<std::string> there;
  const auto look = [&](size_t i) -> Status {
    const PartitionSpecPtr spec = metadata.FindSpec(unseen[i]->partition_spec_id);
    if (spec == nullptr) {
      return MakeError(ErrorCode::kCorrupt, "manifest '{}' has the unknown partition spec {}",
                       unseen[i]->manifest_path, unseen[i]->partition_spec_id);
    }
    const TypePtr type = PartitionType(*spec, metadata.SchemasNewestFirst());
    const ManifestReadOptions options{.with_metrics = false, .with_deleted = false};
    return ReadManifest(io, *unseen[i], *type, options, [&](ManifestEntry& entry) -> Status {
      if (!keys_.contains(CanonicalUriKey(entry.file.file_path))) return {};
      const std::lock_guard lock(mutex);
      there.push_back(entry.file.file_path);
      return {};
    });
  };
  FIRN_RETURN_IF_ERROR(ParallelFor(executor, unseen.size(), look, cancel));
  if (there.empty()) return {};
  const size_t count = there.size();
  std::sort(there.begin(), there.end());
  there.resize(std::min(count, kNamesMax));
  return MakeError(ErrorCode::kInvalidInput,
                   "the table has {} of the files already, such as '{}'; a table has a "
                   "file once, so leave them out",
                   count, fmt::join(there, "', '"));
}

}  // namespace firn
