#include <algorithm>
#include <cstring>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "firn/base/executor.h"
#include "firn/format/metadata/adopted_folders.h"
#include "firn/io/uri.h"
#include "firn/maintain/expiry/expired_files_internal.h"
#include "firn/maintain/file_lookup.h"
#include "firn/maintain/reachable_files_internal.h"
#include "firn/maintain/shared_files_internal.h"

namespace firn {
namespace {

/// The share of the budget that paths may take before they go to disk, and the most of it: writing
/// a few hundred megabytes there and reading them back costs less than such memory does.
constexpr int64_t kMemoryShare = 4;
constexpr int64_t kMemoryBytesMax = int64_t{128} << 20;

std::vector<const Snapshot*> Pointers(const std::vector<Snapshot>& snapshots) {
  std::vector<const Snapshot*> pointers;
  for (const Snapshot& snapshot : snapshots)
    pointers.push_back(&snapshot);
  return pointers;
}

// The manifests that are missing, or have another size than their lists tell.
Result<std::vector<ManifestFile>> FindSuspects(const MaintainContext& context, FileIO& io,
                                               const std::vector<ManifestFile>& manifests) {
  std::vector<char> is_suspect(manifests.size(), 0);  // Bits of one byte would be a race.
  const auto look = [&](size_t index) -> Status {
    const auto info = io.Stat(manifests[index].manifest_path);
    if (!info.ok() && info.error().code() != ErrorCode::kNotFound) return info.error();
    is_suspect[index] = info.ok() && info->size == manifests[index].manifest_length ? 0 : 1;
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      ParallelFor(*context.commit.executor, manifests.size(), look, context.commit.cancel));
  std::vector<ManifestFile> suspects;
  for (size_t i = 0; i < manifests.size(); ++i) {
    if (is_suspect[i] != 0) suspects.push_back(manifests[i]);
  }
  return suspects;
}

// A snapshot that can still be read is not given up for one that cannot.
Status CheckWhatStays(const MaintainContext& context, FileIO& io, const TableMetadata& metadata,
                      const std::vector<ManifestFile>& manifests) {
  FIRN_ASSIGN(const auto suspects, FindSuspects(context, io, manifests));
  if (suspects.empty()) return {};
  const ReachableReader reader{context, io};
  const Status status = reader.VisitContent(PartitionTypes(metadata), suspects, Unreadable::kFail,
                                            [](const DataFile&) -> Status { return {}; });
  if (status.ok()) return {};
  const ErrorCode code = status.error().code();
  if (code != ErrorCode::kNotFound && code != ErrorCode::kCorrupt) return status;
  return MakeError(ErrorCode::kCorrupt,
                   "snapshots that stay cannot be read, so nothing is expired: an older one may be "
                   "the last that can (roll back to it first): {}",
                   status.error().message());
}

std::string EncodeFile(const DataFile& file) {
  std::string payload(1 + sizeof(int64_t), '\0');
  payload[0] = static_cast<char>(KindOf(file));
  std::memcpy(payload.data() + 1, &file.file_size_in_bytes, sizeof(int64_t));
  return payload.append(file.file_path);
}

FileToDelete DecodeFile(std::string_view payload) {
  FileToDelete file;
  file.kind = static_cast<FileKind>(payload[0]);
  int64_t bytes = 0;
  std::memcpy(&bytes, payload.data() + 1, sizeof(bytes));
  file.bytes = bytes;
  file.path = payload.substr(1 + sizeof(bytes));
  return file;
}

}  // namespace

ExpiredPart TakeExpiredPart(const TableMetadata& metadata,
                            const std::vector<SnapshotId>& snapshot_ids) {
  const std::unordered_set<SnapshotId> ids(snapshot_ids.begin(), snapshot_ids.end());
  const auto is_expired = [&](const auto& item) { return ids.contains(item.snapshot_id); };
  ExpiredPart part{.schemas = metadata.schemas,
                   .current_schema_id = metadata.current_schema_id,
                   .partition_specs = metadata.partition_specs};
  std::copy_if(metadata.snapshots.begin(), metadata.snapshots.end(),
               std::back_inserter(part.snapshots), is_expired);
  std::copy_if(metadata.statistics.begin(), metadata.statistics.end(),
               std::back_inserter(part.statistics), is_expired);
  std::copy_if(metadata.partition_statistics.begin(), metadata.partition_statistics.end(),
               std::back_inserter(part.partition_statistics), is_expired);
  return part;
}

ExpiredFiles::ExpiredFiles(const MaintainContext& context, const Table& after)
    : io_(after.io),
      names_(*io_),
      content_(*context.budget,
               std::min(context.budget->total_bytes() / kMemoryShare, kMemoryBytesMax)),
      kept_(0) {}

Result<std::unique_ptr<ExpiredFiles>> ExpiredFiles::Find(const MaintainContext& context,
                                                         const ExpiredPart& part,
                                                         const Table& after) {
  std::unique_ptr<ExpiredFiles> files(new ExpiredFiles(context, after));
  const ReachableReader reader{context, *after.io};
  FIRN_RETURN_IF_ERROR(files->FindFolders(after));
  FIRN_ASSIGN(const auto remaining, files->FindManifests(context, part, after));
  FIRN_RETURN_IF_ERROR(files->FindCandidates(context, part));
  FIRN_RETURN_IF_ERROR(files->KeepWhatOthersNeed(context, after));
  if (files->content_.has_candidates()) {
    FIRN_RETURN_IF_ERROR(reader.VisitContent(
        PartitionTypes(*after.metadata), remaining, Unreadable::kFail,
        [&](const DataFile& file) { return files->KeepContent(file.file_path); }));
  }
  FIRN_RETURN_IF_ERROR(files->FindMetadata(part));
  return files;
}

Result<IoTotals> ExpiredFiles::Estimate(const MaintainContext& context, const ExpiredPart& part,
                                        const Table& after) {
  ExpiredFiles files(context, after);
  FIRN_RETURN_IF_ERROR(files.FindManifests(context, part, after));
  return files.estimate_;
}

// Returns the manifests that stay, and leaves those that go.
Result<std::vector<ManifestFile>> ExpiredFiles::FindManifests(const MaintainContext& context,
                                                              const ExpiredPart& part,
                                                              const Table& after) {
  // How large lists are shows when they are read.
  const auto meter = std::make_shared<IoMeter>();
  const auto metered = MakeMeteredFileIO(io_, meter);
  const ReachableReader reader{context, *metered};
  FIRN_ASSIGN(auto remaining,
              reader.ReadManifestsOf(Pointers(after.metadata->snapshots), Unreadable::kFail));
  FIRN_RETURN_IF_ERROR(CheckWhatStays(context, *metered, *after.metadata, remaining));
  FIRN_ASSIGN(manifests_, reader.ReadManifestsOf(Pointers(part.snapshots), Unreadable::kSkip));
  FIRN_RETURN_IF_ERROR(KeepMetadata(after, remaining));
  FIRN_RETURN_IF_ERROR(LeaveOutKeptManifests());
  estimate_ = meter->totals();
  EstimateRest(remaining, std::ssize(part.snapshots));
  return remaining;
}

// Content that goes is in manifests that go, and is looked for in all that stay.
void ExpiredFiles::EstimateRest(const std::vector<ManifestFile>& remaining, int64_t list_count) {
  constexpr int64_t kFilesPerRequest = 1000;
  int64_t files = list_count + std::ssize(manifests_);
  bool has_content = false;
  const auto read = [&](const ManifestFile& manifest) {
    if (!manifest.has_live_files()) return;
    has_content = true;
    ++estimate_.requests;
    estimate_.bytes_read += manifest.manifest_length;
  };
  for (const ManifestFile& manifest : manifests_) {
    read(manifest);
    files += manifest.added_files_count.value_or(0) + manifest.existing_files_count.value_or(0);
  }
  if (has_content) std::for_each(remaining.begin(), remaining.end(), read);
  estimate_.requests += (files + kFilesPerRequest - 1) / kFilesPerRequest;
}

Status ExpiredFiles::FindFolders(const Table& after) {
  own_folders_ = OwnFolders(*after.metadata);
  for (const std::string& folder : own_folders_) {
    FIRN_ASSIGN(std::string real, names_.Folder(folder));
    own_keys_.push_back(std::move(real));
  }
  FIRN_ASSIGN(const auto adopted, ParseAdoptedFolders(after.metadata->properties));
  for (const std::string& folder : adopted) {
    FIRN_ASSIGN(std::string real, names_.Folder(folder));
    adopted_keys_.push_back(std::move(real));
    adopted_keys_.push_back(CanonicalUriKey(folder));
  }
  return {};
}

// By all names that it may be known by.
Status ExpiredFiles::Keep(std::string_view path) {
  if (path.empty()) return {};
  FIRN_ASSIGN(const RealNames::Names names, names_.Find(path));
  kept_.Insert(MakePathKey(names.entry));
  if (!names.target.empty()) kept_.Insert(MakePathKey(names.target));
  // Whatever a broken manifest calls a data file.
  return KeepContent(path);
}

Status ExpiredFiles::KeepContent(std::string_view path) {
  FIRN_ASSIGN(const RealNames::Names names, names_.Find(path));
  FIRN_RETURN_IF_ERROR(content_.AddOther(names.entry));
  return names.target.empty() ? Status() : content_.AddOther(names.target);
}

Result<bool> ExpiredFiles::IsKept(std::string_view path) const {
  FIRN_ASSIGN(const std::string entry, names_.Entry(path));
  return kept_.Contains(MakePathKey(entry));
}

Status ExpiredFiles::KeepMetadata(const Table& after, const std::vector<ManifestFile>& remaining) {
  const TableMetadata& metadata = *after.metadata;
  FIRN_RETURN_IF_ERROR(Keep(after.metadata_location));
  for (const MetadataLogEntry& entry : metadata.metadata_log)
    FIRN_RETURN_IF_ERROR(Keep(entry.metadata_file));
  for (const StatisticsFile& file : metadata.statistics)
    FIRN_RETURN_IF_ERROR(Keep(file.path));
  for (const PartitionStatisticsFile& file : metadata.partition_statistics)
    FIRN_RETURN_IF_ERROR(Keep(file.path));
  for (const Snapshot& snapshot : metadata.snapshots)
    FIRN_RETURN_IF_ERROR(Keep(snapshot.manifest_list));
  for (const ManifestFile& manifest : remaining)
    FIRN_RETURN_IF_ERROR(Keep(manifest.manifest_path));
  return {};
}

Status ExpiredFiles::LeaveOutKeptManifests() {
  std::vector<ManifestFile> left;
  for (ManifestFile& manifest : manifests_) {
    FIRN_ASSIGN(const bool is_kept, IsKept(manifest.manifest_path));
    if (!is_kept) left.push_back(std::move(manifest));
  }
  kept_metadata_count_ += static_cast<int64_t>(manifests_.size() - left.size());
  manifests_ = std::move(left);
  return {};
}

Status ExpiredFiles::FindCandidates(const MaintainContext& context, const ExpiredPart& part) {
  TableMetadata layout;  // The table's own may have forgotten specs.
  layout.schemas = part.schemas;
  layout.current_schema_id = part.current_schema_id;
  layout.partition_specs = part.partition_specs;
  const ReachableReader reader{context, *io_};
  return reader.VisitContent(PartitionTypes(layout), manifests_, Unreadable::kSkip,
                             [&](const DataFile& file) -> Status {
                               FIRN_ASSIGN(const std::string entry, names_.Entry(file.file_path));
                               NoteFolder(file.file_path, entry);
                               return content_.AddCandidate(entry, EncodeFile(file));
                             });
}

Status ExpiredFiles::AddContent(const DataFile& file) {
  FIRN_ASSIGN(const std::string entry, names_.Entry(file.file_path));
  return content_.AddCandidate(entry, EncodeFile(file));
}

Result<bool> ExpiredFiles::IsOwn(std::string_view path) const {
  FIRN_ASSIGN(const std::string entry, names_.Entry(path));
  return IsWithinAnyKey(entry, own_keys_);
}

// Where files of the table are besides.
void ExpiredFiles::NoteFolder(const std::string& path, const std::string& entry) {
  if (!IsWithinAnyKey(entry, own_keys_)) other_folders_.Add(FolderOf(path));
}

Status ExpiredFiles::KeepWhatOthersNeed(const MaintainContext& context, const Table& after) {
  std::vector<std::string> folders = own_folders_;
  const std::vector<std::string> elsewhere = other_folders_.folders();
  folders.insert(folders.end(), elsewhere.begin(), elsewhere.end());
  FIRN_ASSIGN(const auto others, FindTablesAt(context, after, names_, folders),
              "finding out which tables share the files");
  for (const Table& other : others) {
    sharing_tables_.push_back(other.name);
    const ReachableVisitor keep{
        .metadata = [&](std::string_view path) { return Keep(path); },
        .content = [&](std::string_view path) { return KeepContent(path); }};
    FIRN_RETURN_IF_ERROR(VisitReachable(context, other, keep),
                         "table '{}' shares folders with this one, and nobody knows which files "
                         "it needs",
                         FormatTableName(other.name));
  }
  return others.empty() ? Status() : LeaveOutKeptManifests();
}

Status ExpiredFiles::FindMetadata(const ExpiredPart& part) {
  PathSet seen(0);
  // Each file once.
  const auto add = [&](FileKind kind, const std::string& path,
                       std::optional<int64_t> bytes) -> Status {
    if (path.empty()) return {};
    FIRN_ASSIGN(const std::string entry, names_.Entry(path));
    const PathKey key = MakePathKey(entry);
    if (!seen.Insert(key)) return {};
    if (kept_.Contains(key)) {
      ++kept_metadata_count_;
    } else {
      others_.push_back({kind, path, bytes});
    }
    return {};
  };
  for (const Snapshot& snapshot : part.snapshots)
    FIRN_RETURN_IF_ERROR(add(FileKind::kManifestList, snapshot.manifest_list, std::nullopt));
  for (const StatisticsFile& file : part.statistics)
    FIRN_RETURN_IF_ERROR(add(FileKind::kStatistics, file.path, file.file_size_in_bytes));
  for (const PartitionStatisticsFile& file : part.partition_statistics)
    FIRN_RETURN_IF_ERROR(add(FileKind::kStatistics, file.path, file.file_size_in_bytes));
  return {};
}

// Files that somebody else put where they are.
Result<bool> ExpiredFiles::IsAdopted(std::string_view path) const {
  if (adopted_keys_.empty()) return false;
  FIRN_ASSIGN(const std::string entry, names_.Entry(path));
  if (IsWithinAnyKey(entry, own_keys_)) return false;
  return IsWithinAnyKey(entry, adopted_keys_) ||
         IsWithinAnyKey(CanonicalUriKey(path), adopted_keys_);
}

Status ExpiredFiles::LookUpListSizes(const MaintainContext& context, FileIO& io) {
  return LookUpSizes(context, io, others_);
}

Status ExpiredFiles::Visit(const std::function<Status(FileToDelete)>& visit) {
  adopted_count_ = 0;
  int64_t rest_count = 0;
  FIRN_RETURN_IF_ERROR(
      content_.VisitRest({}, [&](const FileDifference::Candidate& candidate) -> Status {
        ++rest_count;
        FileToDelete file = DecodeFile(candidate.payload);
        FIRN_ASSIGN(const bool is_adopted, IsAdopted(file.path));
        if (!is_adopted) return visit(std::move(file));
        ++adopted_count_;
        return {};
      }));
  kept_count_ = kept_metadata_count_ + content_.distinct_candidates() - rest_count;
  for (const ManifestFile& manifest : manifests_) {
    FIRN_RETURN_IF_ERROR(
        visit({FileKind::kManifest, manifest.manifest_path, manifest.manifest_length}));
  }
  for (const FileToDelete& file : others_) {
    FIRN_RETURN_IF_ERROR(visit(file));
  }
  return {};
}

}  // namespace firn
