#include "firn/maintain/orphans/remove_orphan_files.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include "firn/base/civil_time.h"
#include "firn/base/text.h"
#include "firn/io/discard_files.h"
#include "firn/io/uri.h"
#include "firn/maintain/compaction/rewrite_journal_internal.h"
#include "firn/maintain/delete_files_internal.h"
#include "firn/maintain/orphans/file_difference_internal.h"
#include "firn/maintain/orphans/file_prefixes_internal.h"
#include "firn/maintain/orphans/left_files_internal.h"
#include "firn/maintain/orphans/listed_files_internal.h"
#include "firn/maintain/orphans/pending_outputs_internal.h"
#include "firn/maintain/orphans/quarantine.h"
#include "firn/maintain/orphans/table_overlap_internal.h"
#include "firn/maintain/reachable_files_internal.h"
#include "firn/maintain/shared_files_internal.h"

namespace firn {
namespace {

using std::chrono::hours;

constexpr auto kDefaultAge = std::chrono::days(3);
constexpr auto kLeastAge = hours(24);
constexpr auto kClockDifferenceMax = hours(1);
constexpr size_t kShownMismatches = 20;
/// The share of the budget that paths may take before they go to disk, and the most of it: writing
/// a few hundred megabytes there and reading them back costs less than such memory does.
constexpr int64_t kMemoryShare = 2;
constexpr int64_t kMemoryBytesMax = int64_t{128} << 20;

Result<Timestamp> ChooseCutOff(const RemoveOrphanFilesOptions& options) {
  const Timestamp cut_off = options.older_than.value_or(options.now - kDefaultAge);
  if (options.allows_recent || cut_off <= options.now - kLeastAge) return cut_off;
  return MakeError(ErrorCode::kInvalidInput,
                   "older_than is {}, less than 24 hours before now ({}): files of writers at work "
                   "would count as orphans, and their commits would lose data; give an earlier "
                   "time, or allow_recent if no writer is at work",
                   FormatInstant(cut_off), FormatInstant(options.now));
}

constexpr std::string_view kProbePrefix = "_firn_clock_probe-";

// One that is still in use is younger by any clock.
bool IsOldProbe(const FileInfo& file, Timestamp now) {
  return UriFileName(file.uri).starts_with(kProbePrefix) && file.modified &&
         *file.modified < now - kLeastAge;
}

/// What is kept of a listed file: whether it is old enough to go, and if so its size and its URI.
std::string EncodeListed(const FileInfo& file, bool is_old) {
  if (!is_old) return std::string(1, '\0');
  std::string payload(1 + sizeof(int64_t), '\1');
  std::memcpy(payload.data() + 1, &file.size, sizeof(int64_t));
  return payload.append(file.uri);
}

bool IsOld(std::string_view payload) { return payload.front() != '\0'; }

int64_t SizeOf(std::string_view payload) {
  int64_t bytes = 0;
  std::memcpy(&bytes, payload.data() + 1, sizeof(bytes));
  return bytes;
}

std::string_view UriOf(std::string_view payload) { return payload.substr(1 + sizeof(int64_t)); }

class FoundOrphans final : public OrphanFiles {
 public:
  FoundOrphans(const MaintainContext& context, std::shared_ptr<FileIO> io,
               const RemoveOrphanFilesOptions& options)
      : options_(options),
        io_(std::move(io)),
        names_(*io_),
        prefixes_(options.equal_schemes, options.equal_authorities),
        files_(*context.budget,
               std::min(context.budget->total_bytes() / kMemoryShare, kMemoryBytesMax)) {}

  Status List(const MaintainContext& context, const Table& table, const std::string& location,
              Timestamp cut_off);
  /// What rewrites that were interrupted may still be finished with.
  Status AddJournals(const MaintainContext& context, const Table& table,
                     const std::string& location, Timestamp cut_off);
  /// Everything that the table knows.
  Status AddReachable(const MaintainContext& context, const Table& table);
  /// What other tables need in `location`.
  Status AddOthers(const MaintainContext& context, const Table& table, const std::string& location);
  /// Decide what goes, once all is known.
  Status Judge();
  const FoundMetadata& metadata() const { return metadata_; }

  int64_t listed_count() const override { return files_.distinct_candidates(); }
  int64_t orphan_count() const override { return orphan_count_; }
  int64_t orphan_bytes() const override { return orphan_bytes_; }
  const std::optional<Error>& refusal() const override { return refusal_; }
  const std::vector<std::string>& old_probes() const override { return old_probes_; }
  int64_t ended_journal_count() const override { return std::ssize(journals_); }
  int64_t RemoveEndedJournals() override {
    return std::count_if(journals_.begin(), journals_.end(), [&](const EndedJournal& journal) {
      return RemoveJournal(*io_, journal.location, journal.files);
    });
  }
  Status Visit(const std::function<Status(FileToDelete)>& visit) override;

 private:
  Status AddOther(std::string_view uri) {
    if (uri.empty()) return {};
    FIRN_ASSIGN(const RealNames::Names names, names_.Find(uri));
    FIRN_ASSIGN(const auto identity, prefixes_.Identify(uri, names.entry));
    FIRN_RETURN_IF_ERROR(files_.AddOther(identity.path, identity.prefix));
    if (names.target.empty()) return {};
    FIRN_ASSIGN(const auto target, prefixes_.Identify(uri, names.target));
    return files_.AddOther(target.path, target.prefix);
  }
  Status VisitRest(const std::function<Status(const FileDifference::Candidate&)>& visit);
  Result<bool> HasRest();
  Status AddContent(const MaintainContext& context, const Table& table);

  const RemoveOrphanFilesOptions options_;
  const std::shared_ptr<FileIO> io_;
  const RealNames names_;
  FilePrefixes prefixes_;
  FileDifference files_;
  FoundMetadata metadata_;
  LeftFiles left_;
  std::vector<std::string> old_probes_;
  std::vector<EndedJournal> journals_;
  bool has_old_ = false;
  int64_t orphan_count_ = 0;
  int64_t orphan_bytes_ = 0;
  std::optional<Error> refusal_;
};

Status FoundOrphans::List(const MaintainContext& context, const Table& table,
                          const std::string& location, Timestamp cut_off) {
  const HiddenNames hidden(*table.metadata, location);
  FutureFiles future(options_.now);
  const auto visit = [&](const FileInfo& file) -> Status {
    FIRN_RETURN_IF_ERROR(context.commit.cancel.Check());
    if (IsOldProbe(file, options_.now)) old_probes_.push_back(file.uri);
    if (hidden.IsHidden(file.uri) || left_.Leaves(file.uri)) return {};
    metadata_.Add(file);
    if (options_.only_metadata && !file.uri.ends_with(".metadata.json")) return {};
    future.Add(file);
    // A file of unknown age is too young, and so is one of the age of the store itself.
    const bool is_old = file.modified && *file.modified > Timestamp() && *file.modified < cut_off;
    has_old_ = has_old_ || is_old;
    FIRN_ASSIGN(const std::string entry, names_.Entry(file.uri));
    FIRN_ASSIGN(const auto identity, prefixes_.Identify(file.uri, entry));
    return files_.AddCandidate(identity.path, EncodeListed(file, is_old), identity.prefix);
  };
  FIRN_RETURN_IF_ERROR(options_.file_list.empty()
                           ? table.io->List(location, visit)
                           : ReadFileList(*table.io, options_.file_list, location, visit));
  future.Warn();
  return {};
}

Status FoundOrphans::AddContent(const MaintainContext& context, const Table& table) {
  std::vector<const Snapshot*> snapshots;
  for (const Snapshot& snapshot : table.metadata->snapshots)
    snapshots.push_back(&snapshot);
  const ReachableReader reader{context, *table.io};
  FIRN_ASSIGN(const auto manifests, reader.ReadManifestsOf(snapshots, Unreadable::kFail));
  for (const ManifestFile& manifest : manifests) {
    FIRN_RETURN_IF_ERROR(AddOther(manifest.manifest_path));
  }
  return reader.VisitContent(PartitionTypes(*table.metadata), manifests, Unreadable::kFail,
                             [&](const DataFile& file) { return AddOther(file.file_path); });
}

Status FoundOrphans::AddJournals(const MaintainContext& context, const Table& table,
                                 const std::string& location, Timestamp cut_off) {
  FIRN_ASSIGN(const bool is_listed, names_.IsWithin(JournalsLocation(*table.metadata), location));
  if (is_listed && options_.file_list.empty() && !options_.only_metadata) {
    FIRN_ASSIGN(journals_, FindEndedJournals(context, table, options_.now, cut_off));
  }
  return VisitPendingOutputs(context, table, options_.now,
                             [&](std::string_view uri) { return AddOther(uri); });
}

Status FoundOrphans::AddReachable(const MaintainContext& context, const Table& table) {
  for (const std::string& path : FilesNamedByMetadata(table)) {
    FIRN_RETURN_IF_ERROR(AddOther(path));
  }
  return has_old_ ? AddContent(context, table) : Status();
}

Status FoundOrphans::AddOthers(const MaintainContext& context, const Table& table,
                               const std::string& location) {
  FIRN_ASSIGN(const bool has_rest, HasRest());
  if (!has_rest) return {};
  // Names of metadata files stand in the metadata of tables.
  std::shared_ptr<ContentFolders> content = options_.content_folders;
  if (options_.only_metadata) {
    content = nullptr;
  } else if (content == nullptr) {
    content = std::make_shared<ContentFolders>();
  }
  FIRN_ASSIGN(const auto others, FindTablesAt(context, table, names_, {location}, content.get()),
              "finding out which tables have files in '{}'", location);
  const auto keep = [&](std::string_view path) { return AddOther(path); };
  for (const Table& other : others) {
    // In this order, as for the table itself.
    FIRN_RETURN_IF_ERROR(VisitPendingOutputs(context, other, options_.now, keep),
                         "reading journals of rewrites of table '{}'", FormatTableName(other.name));
    const auto newest = context.commit.catalog->Load(other.name);
    FIRN_RETURN_IF_ERROR(
        VisitReachable(context, newest.ok() ? *newest : other, {.metadata = keep, .content = keep}),
        "table '{}' may have files in '{}', too, and nobody knows which",
        FormatTableName(other.name), location);
  }
  return {};
}

// Files that are old enough and that the table does not know.
Status FoundOrphans::VisitRest(
    const std::function<Status(const FileDifference::Candidate&)>& visit) {
  return files_.VisitRest(
      [&](uint16_t listed, uint16_t recorded) { return prefixes_.Matches(listed, recorded); },
      [&](const FileDifference::Candidate& file) -> Status {
        if (!IsOld(file.payload)) return {};
        if (file.other_tag && options_.prefix_mismatch == PrefixMismatch::kIgnore) return {};
        return visit(file);
      });
}

// Whether anything would go, going by what is known so far.
Result<bool> FoundOrphans::HasRest() {
  if (!has_old_) return false;
  bool has_rest = false;
  const Status visited = VisitRest([&](const FileDifference::Candidate&) -> Status {
    has_rest = true;
    return MakeError(ErrorCode::kCancelled, "one is enough");
  });
  if (has_rest) return true;
  FIRN_RETURN_IF_ERROR(visited);
  return false;
}

Status FoundOrphans::Judge() {
  left_.Warn();
  std::vector<std::string> mismatches;
  FIRN_RETURN_IF_ERROR(VisitRest([&](const FileDifference::Candidate& file) -> Status {
    if (file.other_tag && options_.prefix_mismatch == PrefixMismatch::kError &&
        mismatches.size() < kShownMismatches) {
      mismatches.push_back(fmt::format("'{}' is recorded with {}", UriOf(file.payload),
                                       prefixes_.Describe(*file.other_tag)));
    }
    ++orphan_count_;
    orphan_bytes_ += SizeOf(file.payload);
    return {};
  }));
  if (!mismatches.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "files were found that the table names with another scheme or authority: {}; "
                     "if these are the same files, say so with equal_schemes or "
                     "equal_authorities; else prefix_mismatch_mode can be IGNORE or DELETE",
                     fmt::join(mismatches, "; "));
  }
  const auto allowed = options_.max_fraction * static_cast<double>(listed_count());
  if (static_cast<double>(orphan_count_) > allowed) {
    refusal_ = MakeError(ErrorCode::kInvalidInput,
                         "{} of {} files would be removed, more than the share {} that "
                         "max_fraction allows: make sure that this is the right table, and then "
                         "give a larger one",
                         orphan_count_, listed_count(), options_.max_fraction);
  }
  return {};
}

Status FoundOrphans::Visit(const std::function<Status(FileToDelete)>& visit) {
  const bool has_sizes = options_.file_list.empty();
  const FileKind kind = options_.only_metadata ? FileKind::kMetadata : FileKind::kOther;
  return VisitRest([&](const FileDifference::Candidate& file) -> Status {
    return visit({kind, std::string(UriOf(file.payload)),
                  has_sizes ? std::optional(SizeOf(file.payload)) : std::nullopt});
  });
}

std::string LocationOf(const Table& table, const RemoveOrphanFilesOptions& options) {
  const std::string& location =
      options.location.empty() ? table.metadata->location : options.location;
  return std::string(StripTrailingSlash(location));
}

// Nothing of a whole machine belongs to one table.
Status CheckNotRoot(const std::string& location) {
  const std::string scheme = UriScheme(location);
  const bool is_local = scheme.empty() || scheme == "file";
  if (!is_local || LocalPath(location).find_first_not_of('/') != std::string::npos) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   "the location whose orphans are to be removed is '/', the whole file system; "
                   "give the table's own folder");
}

Status CheckSameTable(const Table& before, const Table& now) {
  const std::string& expected = before.metadata->table_uuid;
  if (EqualsIgnoreCase(expected, now.metadata->table_uuid)) return {};
  return MakeError(ErrorCode::kCommitConflict,
                   "table '{}' was replaced by another one meanwhile; look at it and try again",
                   FormatTableName(before.name));
}

// The ages of files are told by the store, what is old by this machine.
Status CheckClocks(const MaintainContext& context, FileIO& io, const std::string& location) {
  const std::string probe =
      JoinUri(location, std::string(kProbePrefix) + FormatUuid(MakeUuid(*context.commit.random)));
  // Empty: on a full disk, too, orphans can be removed.
  const Status written = WriteFile(io, probe, {});
  // It may be there although that is not known.
  if (!written.ok()) DiscardFiles(io, {&probe, 1}, "a probe of the clock");
  FIRN_RETURN_IF_ERROR(written);
  const auto info = io.Stat(probe);
  const Status deleted = io.Delete(probe);
  FIRN_RETURN_IF_ERROR(info);
  // A request that arrives twice finds nothing the second time.
  if (!deleted.ok() && deleted.error().code() != ErrorCode::kNotFound) return deleted;
  if (!info->modified) return {};
  const Timestamp now = context.commit.clock->Now();
  const auto difference = std::chrono::abs(now - *info->modified);
  if (difference <= kClockDifferenceMax) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   "this machine's clock says {}, the store's {}: with clocks so far apart the age "
                   "of a file cannot be told; put them right",
                   FormatInstant(now), FormatInstant(*info->modified));
}

}  // namespace

Result<std::unique_ptr<OrphanFiles>> FindOrphanFiles(const MaintainContext& context,
                                                     const Table& table,
                                                     const RemoveOrphanFilesOptions& options) {
  FIRN_RETURN_IF_ERROR(CheckMayDeleteFiles(*table.metadata, "remove_orphan_files"));
  FIRN_ASSIGN(const Timestamp cut_off, ChooseCutOff(options));
  const std::string location = LocationOf(table, options);
  FIRN_RETURN_IF_ERROR(CheckNotRoot(location));
  FIRN_RETURN_IF_ERROR(CheckNoTableBelow(context, table, location));
  auto files = std::make_unique<FoundOrphans>(context, table.io, options);
  FIRN_RETURN_IF_ERROR(files->List(context, table, location, cut_off), "listing '{}'", location);
  // Before the table is looked at again: whatever has left its journal is committed by then.
  FIRN_RETURN_IF_ERROR(files->AddJournals(context, table, location, cut_off),
                       "reading journals of rewrites");
  // What was committed while the listing went on is known from here on.
  FIRN_ASSIGN(Table now, context.commit.catalog->Load(table.name));
  FIRN_RETURN_IF_ERROR(CheckSameTable(table, now));
  FIRN_RETURN_IF_ERROR(CheckMayDeleteFiles(*now.metadata, "remove_orphan_files"));
  FIRN_RETURN_IF_ERROR(files->metadata().CheckOwner(context, now));
  FIRN_RETURN_IF_ERROR(files->AddReachable(context, now));
  FIRN_RETURN_IF_ERROR(files->AddOthers(context, now, location));
  FIRN_RETURN_IF_ERROR(files->Judge());
  return files;
}

Result<RemoveOrphanFilesResult> RemoveOrphanFiles(const MaintainContext& context,
                                                  const Table& table,
                                                  const RemoveOrphanFilesOptions& options) {
  RemoveOrphanFilesResult result;
  FIRN_ASSIGN(result.files, FindOrphanFiles(context, table, options));
  if (result.files->refusal()) return *result.files->refusal();
  DiscardFiles(*table.io, result.files->old_probes(), "a probe of the clock");
  if (result.files->orphan_count() == 0 && result.files->ended_journal_count() == 0) return result;
  const std::string location = LocationOf(table, options);
  FIRN_RETURN_IF_ERROR(CheckClocks(context, *table.io, location));
  result.removed_journal_count = result.files->RemoveEndedJournals();
  if (result.files->orphan_count() == 0) return result;
  if (options.quarantines) {
    result.quarantine_run = NewQuarantineRun(options.now, *context.commit.random);
    FIRN_ASSIGN(auto moved,
                MoveToQuarantine(context, *table.io, location, result.quarantine_run,
                                 [&](const auto& visit) { return result.files->Visit(visit); }));
    result.removed_count = moved.moved + moved.already_gone;
    result.failed_count = moved.failed;
    result.first_failure = std::move(moved.first_failure);
    return result;
  }
  FileDeleter deleter(context, *table.io, static_cast<size_t>(options.max_concurrent_deletes));
  FIRN_RETURN_IF_ERROR(
      result.files->Visit([&](FileToDelete file) { return deleter.Add(std::move(file)); }));
  FIRN_ASSIGN(const DeletedFiles deleted, deleter.Finish());
  result.removed_count = deleted.of(FileKind::kOther) + deleted.of(FileKind::kMetadata);
  result.failed_count = deleted.failed;
  result.first_failure = deleted.first_failure;
  return result;
}

}  // namespace firn
