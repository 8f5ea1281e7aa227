#include "firn/maintain/copy/rewrite_table_path.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "firn/base/hash.h"
#include "firn/io/uri.h"
#include "firn/maintain/copy/copied_deletes_internal.h"
#include "firn/maintain/copy/copied_metadata_internal.h"
#include "firn/maintain/copy/manifest_copy_internal.h"

namespace firn {
namespace {

constexpr size_t kListBytes = size_t{1} << 20;

// A metadata file: as the table records it, and as it is opened.
struct Version {
  std::string recorded;
  TableMetadataPtr metadata;
};

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text)
    quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

// Tells what is to be copied, from where to where, each file once. Thread-safe.
class FileList {
 public:
  // Without a call of this, files are only counted.
  Status Open(FileIO& io, const std::string& uri) {
    FIRN_ASSIGN(output_, io.Create(uri, {.exclusive = true}));
    return {};
  }

  Status Add(std::string_view source, std::string_view target) {
    const std::lock_guard lock(mutex_);
    const auto bytes = AsBytes(target);
    if (!targets_.emplace(HashFast(bytes, 1), HashFast(bytes, 2)).second) return {};
    ++count_;
    if (output_ == nullptr) return {};
    text_ += fmt::format("{},{}\n", CsvField(source), CsvField(target));
    return text_.size() < kListBytes ? Status() : Flush();
  }

  // The place of the list; "N/A" if there is none.
  Result<std::string> Finish() {
    if (output_ == nullptr) return std::string("N/A");
    FIRN_RETURN_IF_ERROR(Flush());
    FIRN_RETURN_IF_ERROR(output_->Publish());
    return output_->uri();
  }

  int64_t count() const { return count_; }

 private:
  Status Flush() {
    FIRN_RETURN_IF_ERROR(output_->Append(AsBytes(text_)));
    text_.clear();
    return {};
  }

  std::mutex mutex_;
  std::set<std::pair<uint64_t, uint64_t>> targets_;  // Hashes, as there may be very many.
  std::unique_ptr<OutputFile> output_;
  std::string text_;  // Not written yet.
  int64_t count_ = 0;
};

class TablePathRewrite {
 public:
  TablePathRewrite(const MaintainContext& context, const Table& table,
                   const RewriteTablePathOptions& options, PathPrefix prefix)
      : context_(context),
        table_(table),
        options_(options),
        prefix_(std::move(prefix)),
        io_(*table.io) {}

  Result<RewriteTablePathResult> Run() {
    FIRN_RETURN_IF_ERROR(FindVersions());
    staging_ = std::string(StripTrailingSlash(options_.staging_location));
    if (staging_.empty()) {
      staging_ = JoinUri(end().MetadataLocation(),
                         "copy-table-staging-" + FormatUuid(MakeUuid(*context_.commit.random)));
    }
    if (options_.creates_file_list) {
      FIRN_RETURN_IF_ERROR(list_.Open(io_, JoinUri(staging_, "file-list")));
    }
    FIRN_RETURN_IF_ERROR(FindManifests());
    FIRN_RETURN_IF_ERROR(VisitEntries());
    FIRN_RETURN_IF_ERROR(CopyDeletes());
    FIRN_RETURN_IF_ERROR(CopyManifests());
    FIRN_RETURN_IF_ERROR(CopyLists());
    FIRN_RETURN_IF_ERROR(CopyMetadata());
    FIRN_RETURN_IF_ERROR(AddStatistics());
    return Finish();
  }

 private:
  const TableMetadata& end() const { return *versions_.front().metadata; }

  // Where the current metadata file stands in the words of the table.
  std::string RecordedLocation() const {
    if (prefix_.Covers(table_.metadata_location)) return table_.metadata_location;
    return JoinUri(table_.metadata->MetadataLocation(), UriFileName(table_.metadata_location));
  }

  // The versions to copy, newest first.
  Status FindVersions() {
    std::vector<std::string> names;
    for (const MetadataLogEntry& entry : table_.metadata->metadata_log)
      names.push_back(entry.metadata_file);
    names.push_back(RecordedLocation());
    size_t last = names.size() - 1;
    if (!options_.end_version.empty()) {
      FIRN_ASSIGN(last, FindVersion(names, "end_version", options_.end_version));
    }
    size_t first = 0;
    if (!options_.start_version.empty()) {
      FIRN_ASSIGN(const size_t start, FindVersion(names, "start_version", options_.start_version));
      if (start >= last) {
        return MakeError(ErrorCode::kInvalidInput,
                         "start_version '{}' is not older than end_version '{}'",
                         options_.start_version, UriFileName(names[last]));
      }
      FIRN_ASSIGN(start_, LoadTableMetadata(io_, names[start]));
      for (const Snapshot& snapshot : start_->snapshots)
        start_snapshots_.insert(snapshot.snapshot_id);
      first = start + 1;
    }
    for (size_t i = last + 1; i-- > first;) {
      Version version{.recorded = names[i]};
      if (i + 1 == names.size()) {
        version.metadata = table_.metadata;
      } else {
        Result<TableMetadataPtr> loaded = LoadTableMetadata(io_, names[i]);
        // No reader needs old ones.
        if (i != last && !loaded.ok() && loaded.error().code() == ErrorCode::kNotFound) {
          result_.missing.push_back(names[i]);
          continue;
        }
        FIRN_ASSIGN(version.metadata, std::move(loaded));
      }
      versions_.push_back(std::move(version));
    }
    return {};
  }

  Result<size_t> FindVersion(const std::vector<std::string>& names, std::string_view argument,
                             std::string_view wanted) const {
    for (size_t i = 0; i < names.size(); ++i) {
      if (UriFileName(names[i]) == UriFileName(wanted)) return i;
    }
    return MakeError(ErrorCode::kInvalidInput,
                     "{} is '{}', expected the name of a metadata file in the table's log, from "
                     "'{}' to '{}'",
                     argument, wanted, UriFileName(names.front()), UriFileName(names.back()));
  }

  Status FindManifests() {
    std::set<std::string> seen;
    for (const Snapshot& snapshot : end().snapshots) {
      if (start_snapshots_.contains(snapshot.snapshot_id)) continue;
      snapshots_.push_back(&snapshot);
      FIRN_ASSIGN(auto manifests, ReadManifests(io_, snapshot), "snapshot {}",
                  snapshot.snapshot_id);
      for (ManifestFile& manifest : manifests) {
        if (seen.insert(manifest.manifest_path).second) manifests_.push_back(std::move(manifest));
      }
    }
    return {};
  }

  bool IsNew(const ManifestEntry& entry) const {
    if (start_ == nullptr) return true;
    const int64_t sequence_number = entry.file_sequence_number.value_or(0);
    if (sequence_number > 0) return sequence_number > start_->last_sequence_number;
    return !entry.snapshot_id || !start_snapshots_.contains(*entry.snapshot_id);
  }

  // Look for delete files to write, and list what is copied as it is.
  Status VisitEntries() {
    const CommitContext& commit = context_.commit;
    const auto visit = [&](size_t i) -> Status {
      const ManifestFile& manifest = manifests_[i];
      const PartitionSpecPtr spec = end().FindSpec(manifest.partition_spec_id);
      if (spec == nullptr) {
        return MakeError(ErrorCode::kCorrupt, "manifest '{}' has the unknown partition spec {}",
                         manifest.manifest_path, manifest.partition_spec_id);
      }
      const TypePtr type = PartitionType(*spec, end().SchemasNewestFirst());
      const ManifestReadOptions read{.with_metrics = false, .with_deleted = false};
      return ReadManifest(io_, manifest, *type, read, [&](ManifestEntry& entry) -> Status {
        FIRN_ASSIGN(const std::string target, prefix_.Rename(entry.file.file_path));
        if (entry.file.content != FileContent::kPositionDeletes) {
          return IsNew(entry) ? list_.Add(entry.file.file_path, target) : Status();
        }
        const std::lock_guard lock(mutex_);
        deletes_.emplace(entry.file.file_path, std::move(entry.file));
        return {};
      });
    };
    return ParallelFor(*commit.executor, manifests_.size(), visit, commit.cancel);
  }

  Status CopyDeletes() {
    std::vector<const DataFile*> files;
    for (const auto& [path, file] : deletes_)
      files.push_back(&file);
    const CommitContext& commit = context_.commit;
    const WriteContext write{.io = table_.io,
                             .metadata = versions_.front().metadata,
                             .executor = commit.executor,
                             .budget = context_.budget,
                             .cancel = commit.cancel,
                             .random = commit.random};
    return ParallelFor(
        *commit.executor, files.size(),
        [&](size_t i) -> Status {
          const DataFile& file = *files[i];
          FIRN_ASSIGN(const std::string staged, prefix_.Below(staging_, file.file_path));
          FIRN_ASSIGN(CopiedDeletes copied, CopyDeleteFile(write, file, staged, prefix_));
          FIRN_RETURN_IF_ERROR(Stage(KindOf(file), file.file_path, staged, copied.file_size));
          const std::lock_guard lock(mutex_);
          copied_.emplace(file.file_path, std::move(copied));
          return {};
        },
        commit.cancel);
  }

  Status CopyManifests() {
    const CommitContext& commit = context_.commit;
    return ParallelFor(
        *commit.executor, manifests_.size(),
        [&](size_t i) -> Status {
          const std::string& path = manifests_[i].manifest_path;
          FIRN_ASSIGN(const std::string staged, prefix_.Below(staging_, path));
          FIRN_ASSIGN(const int64_t length, CopyManifest(io_, path, staged, prefix_, copied_));
          FIRN_RETURN_IF_ERROR(Stage(FileKind::kManifest, path, staged, length));
          const std::lock_guard lock(mutex_);
          lengths_.emplace(path, length);
          return {};
        },
        commit.cancel);
  }

  Status CopyLists() {
    std::set<std::string_view> copied;  // Two snapshots may have one list.
    for (const Snapshot* snapshot : snapshots_) {
      FIRN_RETURN_IF_ERROR(context_.commit.cancel.Check());
      const std::string& path = snapshot->manifest_list;
      // Empty: version 1, with the manifests in the metadata.
      if (path.empty() || !copied.insert(path).second) continue;
      FIRN_ASSIGN(const std::string staged, prefix_.Below(staging_, path));
      FIRN_ASSIGN(const int64_t length, CopyManifestList(io_, path, staged, prefix_, lengths_));
      FIRN_RETURN_IF_ERROR(Stage(FileKind::kManifestList, path, staged, length));
    }
    return {};
  }

  Status CopyMetadata() {
    for (const Version& version : versions_) {
      FIRN_ASSIGN(const TableMetadata renamed, RenameMetadata(*version.metadata, prefix_), "'{}'",
                  version.recorded);
      FIRN_ASSIGN(const std::string staged, prefix_.Below(staging_, version.recorded));
      FIRN_RETURN_IF_ERROR(WriteTableMetadata(io_, staged, renamed, {.exclusive = true}));
      FIRN_RETURN_IF_ERROR(Stage(FileKind::kMetadata, version.recorded, staged, {}));
    }
    return {};
  }

  Status AddStatistics() {
    std::set<std::string> known;
    if (start_ != nullptr) {
      for (const StatisticsFile& file : start_->statistics)
        known.insert(file.path);
      for (const PartitionStatisticsFile& file : start_->partition_statistics)
        known.insert(file.path);
    }
    std::vector<std::string> paths;
    for (const StatisticsFile& file : end().statistics)
      paths.push_back(file.path);
    for (const PartitionStatisticsFile& file : end().partition_statistics)
      paths.push_back(file.path);
    for (const std::string& path : paths) {
      if (known.contains(path)) continue;
      FIRN_ASSIGN(const std::string target, prefix_.Rename(path));
      FIRN_RETURN_IF_ERROR(list_.Add(path, target));
    }
    return {};
  }

  Status Stage(FileKind kind, const std::string& path, const std::string& staged,
               std::optional<int64_t> bytes) {
    FIRN_ASSIGN(const std::string target, prefix_.Rename(path));
    FIRN_RETURN_IF_ERROR(list_.Add(staged, target));
    const std::lock_guard lock(mutex_);
    result_.staged.push_back({kind, staged, bytes});
    return {};
  }

  Result<RewriteTablePathResult> Finish() {
    result_.latest_version = UriFileName(versions_.front().recorded);
    FIRN_ASSIGN(result_.file_list_location, list_.Finish());
    result_.rewritten_manifests = std::ssize(manifests_);
    result_.rewritten_delete_files = std::ssize(deletes_);
    result_.files_to_copy = list_.count();
    std::sort(result_.staged.begin(), result_.staged.end(),
              [](const FileToDelete& a, const FileToDelete& b) { return a.path < b.path; });
    return std::move(result_);
  }

  const MaintainContext& context_;
  const Table& table_;
  const RewriteTablePathOptions& options_;
  const PathPrefix prefix_;
  FileIO& io_;
  std::string staging_;
  std::vector<Version> versions_;
  TableMetadataPtr start_;  // Null: all is copied.
  std::set<SnapshotId> start_snapshots_;
  std::vector<const Snapshot*> snapshots_;
  std::vector<ManifestFile> manifests_;
  FileList list_;
  std::mutex mutex_;  // Guards what follows.
  std::map<std::string, DataFile> deletes_;
  CopiedDeleteFiles copied_;
  std::map<std::string, int64_t, std::less<>> lengths_;
  RewriteTablePathResult result_;
};

}  // namespace

Result<RewriteTablePathResult> RewriteTablePath(const MaintainContext& context, const Table& table,
                                                const RewriteTablePathOptions& options) {
  FIRN_ASSIGN(PathPrefix prefix, PathPrefix::Make(options.source_prefix, options.target_prefix));
  return TablePathRewrite(context, table, options, std::move(prefix)).Run();
}

}  // namespace firn
