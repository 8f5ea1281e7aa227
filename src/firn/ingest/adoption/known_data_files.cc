#include <mutex>

#include <fmt/ranges.h>

#include "firn/change/replace_rows.h"
#include "firn/ingest/adoption/known_data_files_internal.h"
#include "firn/io/real_names.h"

namespace firn {
namespace {

constexpr size_t kNamesMax = 10;

}  // namespace

Result<std::shared_ptr<KnownDataFiles>> KnownDataFiles::Make(std::shared_ptr<FileIO> io,
                                                             const std::vector<DataFile>& wanted) {
  std::shared_ptr<KnownDataFiles> known(new KnownDataFiles(std::move(io)));
  const RealNames names(*known->io_);
  for (const DataFile& file : wanted) {
    FIRN_ASSIGN(const RealNames::Names name, names.Find(file.file_path));
    const auto [other, is_new] = known->wanted_.emplace(name.file(), file.file_path);
    if (is_new) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' and '{}' are one file, by way of a link; its rows would be in the table "
                     "twice, so leave one out",
                     other->second, file.file_path);
  }
  return known;
}

Status KnownDataFiles::Check(const TableMetadata& metadata, const std::string& branch,
                             Executor& executor, const CancelToken& cancel) {
  FileIO& io = *io_;
  const RealNames names(io);
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
      FIRN_ASSIGN(const RealNames::Names name, names.Find(entry.file.file_path));
      if (!wanted_.contains(name.file())) return {};
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
