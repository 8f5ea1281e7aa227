#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firn/base/hash.h"
#include "firn/base/log.h"
#include "firn/base/process_identity.h"
#include "firn/format/manifest/content_file_json.h"
#include "firn/format/puffin/delete_reference.h"
#include "firn/io/discard_files.h"
#include "firn/io/forwarding_file_io.h"
#include "firn/io/uri.h"
#include "firn/maintain/compaction/rewrite_journal_internal.h"

namespace firn {
namespace {

constexpr int64_t kTailBytes = 64 * 1024;

void WriteInput(JsonWriter& json, const FileScanTask& task) {
  json.BeginObject();
  json.StringField("file-path", task.file.file_path);
  json.IntField("sequence-number", task.sequence_number);
  json.IntField("file-size-in-bytes", task.file.file_size_in_bytes);
  json.Key("deletes");
  json.BeginArray();
  for (const std::string& key : DeleteKeysOf(task))
    json.String(key);
  json.EndArray();
  json.EndObject();
}

}  // namespace

std::vector<std::string> DeleteKeysOf(const FileScanTask& task) {
  std::vector<std::string> keys;
  for (const DeleteFilePtr& file : task.deletes)
    keys.push_back(fmt::format("{} {}", file->sequence_number, FileKey(file->file)));
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::string RewriteSignature(const TableMetadata& metadata,
                             const RewriteDataFilesOptions& options) {
  JsonWriter json;
  json.BeginObject();
  json.IntField("format-version", metadata.format_version);
  json.IntField("schema-id", metadata.current_schema_id);
  json.IntField("spec-id", options.output_spec_id.value_or(metadata.default_spec_id));
  json.IntField("target-file-size-bytes", options.target_file_size_bytes);
  const RewriteOrder& order = options.order;
  json.IntField("strategy", static_cast<int>(order.strategy));
  json.IntField("sort-order-id", order.sort_order.order_id);
  json.StringField("sort-order", FormatSortOrder(order.sort_order, *metadata.current_schema()));
  json.Key("curve-fields");
  json.BeginArray();
  for (const int32_t id : order.columns)
    json.Int(id);
  json.Int(order.key_bytes_max);
  json.Int(order.text_bytes);
  json.EndArray();
  for (const auto& [key, value] : metadata.properties) {
    if (key.starts_with("write.")) json.StringField(key, value);
  }
  json.EndObject();
  return std::move(json).Take();
}

std::string JournalsLocation(const TableMetadata& metadata) {
  return JoinUri(metadata.MetadataLocation(), "_firn");
}

std::string JournalOwnerName() { return "owner.json"; }
std::string JournalLockName() { return "owner.lock"; }
std::string JournalEntryName(int64_t group) { return fmt::format("group-{:05}.json", group); }
std::string JournalClaimName(int64_t group) { return fmt::format("group-{:05}.claim", group); }
std::string JournalSecondClaimName(int64_t group) {
  return fmt::format("group-{:05}.claim-2", group);
}
std::string JournalOutputName(int64_t group, int64_t number) {
  return fmt::format("group-{:05}-{:05}.output", group, number);
}

Result<uint32_t> TailChecksum(FileIO& io, const DataFile& file) {
  FIRN_ASSIGN(const auto input, io.Open(file.file_path));
  FIRN_ASSIGN(const int64_t size, input->Size());
  if (size != file.file_size_in_bytes) {
    return MakeError(ErrorCode::kCorrupt, "'{}' has {} bytes, expected {}", file.file_path, size,
                     file.file_size_in_bytes);
  }
  Buffer tail(static_cast<size_t>(std::min(size, kTailBytes)));
  FIRN_ASSIGN(const int64_t read,
              input->ReadAt(size - static_cast<int64_t>(tail.size()), tail.span()));
  if (read != static_cast<int64_t>(tail.size())) {
    return MakeError(ErrorCode::kCorrupt, "'{}' became shorter", file.file_path);
  }
  return HashCrc32(tail.span());
}

Result<std::string> FormatFinishedGroup(FileIO& io, const TableMetadata& metadata,
                                        const FileGroup& group, const GroupResult& result) {
  JsonWriter json;
  json.BeginObject();
  json.Key("inputs");
  json.BeginArray();
  for (const FileScanTask& task : group.inputs)
    WriteInput(json, task);
  json.EndArray();
  if (result.may_be_committed) json.BoolField("may-be-committed", true);
  json.Key("outputs");
  json.BeginArray();
  const auto schemas = metadata.SchemasNewestFirst();
  for (const DataFile& file : result.outputs) {
    FIRN_ASSIGN(const uint32_t checksum, TailChecksum(io, file));
    json.BeginObject();
    json.Key("file");
    WriteContentFileJson(json, file,
                         *PartitionType(*metadata.FindSpec(file.partition_spec_id), schemas));
    json.IntField("tail-crc32", int64_t{checksum});
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  if (!json.is_lossless()) {
    return MakeError(ErrorCode::kUnsupported, "a path or value is not UTF-8");
  }
  return std::move(json).Take();
}

/// Notes the URIs of files before they are made.
class RewriteJournal::NotingFileIO final : public ForwardingFileIO {
 public:
  NotingFileIO(RewriteJournal& journal, std::shared_ptr<FileIO> io, int64_t group)
      : ForwardingFileIO(std::move(io)), journal_(journal), group_(group) {}

  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    journal_.NoteOutput(group_, uri);
    return inner().Create(uri, options);
  }

 private:
  RewriteJournal& journal_;
  const int64_t group_;
};

RewriteJournal::RewriteJournal(const MaintainContext& context, const Table& table,
                               std::string signature, std::string location)
    : context_(context),
      table_(table),
      signature_(std::move(signature)),
      location_(std::move(location)) {}

Result<std::unique_ptr<RewriteJournal>> RewriteJournal::Start(const MaintainContext& context,
                                                              const Table& table,
                                                              std::string signature) {
  const std::string name =
      fmt::format("{}{}", kJournalPrefix, FormatUuid(MakeUuid(*context.commit.random)));
  std::unique_ptr<RewriteJournal> journal(new RewriteJournal(
      context, table, std::move(signature), JoinUri(JournalsLocation(*table.metadata), name)));
  FIRN_RETURN_IF_ERROR(journal->WriteOwner(/*is_released=*/false));
  journal->HoldLock();
  return journal;
}

// Behind owner.json: a journal without it is nobody's, and goes with all that is in it.
void RewriteJournal::HoldLock() {
  Result<std::unique_ptr<FileLock>> lock = FileLock::Hold(*table_.io, Place(JournalLockName()));
  if (lock.ok()) {
    lock_ = *std::move(lock);
  } else if (!ThisProcess().is_known()) {
    Log(LogLevel::kWarning,
        "if this run is killed, what it has finished is taken up only when its journal has been "
        "silent for an hour: /proc does not tell which process this is, and there is no lock: {}",
        lock.error().message());
  }
}

std::string RewriteJournal::Place(const std::string& name) const {
  return JoinUri(location_, name);
}

Status RewriteJournal::WriteOwner(bool is_released) {
  const ProcessIdentity& process = ThisProcess();
  JsonWriter json;
  json.BeginObject();
  json.StringField("table-uuid", table_.metadata->table_uuid);
  json.StringField("signature", signature_);
  json.StringField("machine", process.machine);
  json.IntField("process-id", process.process_id);
  json.IntField("started", process.started);
  json.BoolField("is-released", is_released);
  json.EndObject();
  return WriteFile(*table_.io, Place(JournalOwnerName()), AsBytes(json.text()));
}

void RewriteJournal::NoteOutput(int64_t group, std::string_view uri) {
  int64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++output_counts_[group];
  }
  const Status noted = WriteFile(*table_.io, Place(JournalOutputName(group, number)), AsBytes(uri));
  if (noted.ok()) return;
  Log(LogLevel::kWarning, "if this run is killed, '{}' is left to orphan removal: {}", uri,
      noted.error().Format());
}

Table RewriteJournal::ForGroup(Table table, int64_t group) {
  table.io = std::make_shared<NotingFileIO>(*this, std::move(table.io), group);
  return table;
}

void RewriteJournal::AddFinished(const FileGroup& group, const GroupResult& result) {
  const auto write = [&]() -> Status {
    FIRN_ASSIGN(const std::string text,
                FormatFinishedGroup(*table_.io, *table_.metadata, group, result));
    return WriteFile(*table_.io, Place(JournalEntryName(group.index)), AsBytes(text));
  };
  if (const Status status = write(); !status.ok()) {
    Log(LogLevel::kWarning, "group {} cannot be taken over by a later run: {}", group.index,
        status.error().Format());
    return;
  }
  const std::lock_guard lock(mutex_);
  finished_.insert(group.index);
}

void RewriteJournal::AddAdopted(const FileGroup& group, const GroupResult& result) {
  for (const DataFile& file : result.outputs)
    NoteOutput(group.index, file.file_path);
  AddFinished(group, result);
}

Result<bool> RewriteJournal::Claim(int64_t group) {
  const std::lock_guard lock(mutex_);
  if (claimed_.contains(group)) return true;
  FIRN_ASSIGN(const bool is_ours, TryClaim(group));
  if (is_ours) {
    claimed_.insert(group);
  } else {
    is_taken_over_ = true;
  }
  return is_ours;
}

Result<bool> RewriteJournal::TryClaim(int64_t group) const {
  const Status claim = WriteFile(*table_.io, Place(JournalClaimName(group)), AsBytes(kClaimOfOwner),
                                 {.exclusive = true});
  if (!claim.ok() && claim.error().code() == ErrorCode::kAlreadyExists) return false;
  FIRN_RETURN_IF_ERROR(claim, "claiming group {}", group);
  FIRN_ASSIGN(const bool has_owner, FileExists(*table_.io, Place(JournalOwnerName())));
  if (!has_owner) return false;
  if (finished_.contains(group)) {
    FIRN_ASSIGN(const bool has_entry, FileExists(*table_.io, Place(JournalEntryName(group))));
    if (!has_entry) return false;
  }
  return true;
}

void RewriteJournal::Release(int64_t group) {
  {
    const std::lock_guard lock(mutex_);
    if (claimed_.erase(group) == 0) return;
  }
  // If it stays, the group is lost to this run, and nobody has it.
  (void)DeleteJournalFiles(*table_.io, {Place(JournalClaimName(group))});
}

bool RewriteJournal::ClaimForGood(int64_t group) {
  const Status claim = WriteFile(*table_.io, Place(JournalSecondClaimName(group)),
                                 AsBytes(kClaimOfOwner), {.exclusive = true});
  // Whoever has taken the group over removes the owner before that claim.
  const auto has_owner = FileExists(*table_.io, Place(JournalOwnerName()));
  if (claim.ok() && has_owner.ok() && *has_owner) return true;
  Log(LogLevel::kWarning, "what group {} has written is left to others or orphan removal", group);
  return false;
}

std::vector<std::string> RewriteJournal::FilesOf(int64_t group) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> files = {Place(JournalEntryName(group))};
  for (int64_t number = 1; number <= output_counts_[group]; ++number)
    files.push_back(Place(JournalOutputName(group, number)));
  finished_.erase(group);
  return files;
}

void RewriteJournal::Forget(int64_t group) { (void)DeleteJournalFiles(*table_.io, FilesOf(group)); }

size_t RewriteJournal::End() {
  size_t left = 0;
  {
    const std::lock_guard lock(mutex_);
    left = is_taken_over_ ? 0 : finished_.size();
  }
  if (left == 0) {
    Close();
  } else if (const Status status = WriteOwner(/*is_released=*/true); !status.ok()) {
    Log(LogLevel::kWarning, "the journal '{}' is not released: {}", location_,
        status.error().Format());
  }
  lock_ = nullptr;
  return left;
}

void RewriteJournal::Close() {
  std::set<int64_t> groups;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [group, count] : output_counts_)
      groups.insert(group);
    groups.insert(finished_.begin(), finished_.end());
    groups.insert(claimed_.begin(), claimed_.end());
  }
  std::vector<std::string> files = {Place(JournalOwnerName())};
  if (!DeleteJournalFiles(*table_.io, files)) return;
  files = {Place(JournalLockName())};
  std::vector<std::string> claims;
  for (const int64_t group : groups) {
    for (std::string& file : FilesOf(group))
      files.push_back(std::move(file));
    claims.push_back(Place(JournalClaimName(group)));
    claims.push_back(Place(JournalSecondClaimName(group)));
  }
  if (!DeleteJournalFiles(*table_.io, files)) return;
  (void)DeleteJournalFiles(*table_.io, claims);
  RemoveJournalFolder(*table_.io, location_);
}

bool DeleteJournalFiles(FileIO& io, const std::vector<std::string>& uris) {
  return DiscardFiles(io, uris, "a file of a journal of rewrites");
}

void RemoveJournalFolder(FileIO& io, const std::string& location) {
  // Object stores have no folders; on local disk another journal may be beside this one.
  (void)io.DeleteFolder(location);
  (void)io.DeleteFolder(location.substr(0, location.rfind('/')));
}

bool RemoveJournal(FileIO& io, const std::string& location, const std::vector<std::string>& files) {
  if (!DeleteJournalFiles(io, {JoinUri(location, JournalOwnerName())})) return false;
  // Nobody can own anything of a journal without owner.
  std::vector<std::string> content;
  std::vector<std::string> claims;
  for (const std::string& uri : files)
    (UriFileName(uri).find(".claim") != std::string_view::npos ? claims : content).push_back(uri);
  if (!DeleteJournalFiles(io, content) || !DeleteJournalFiles(io, claims)) return false;
  RemoveJournalFolder(io, location);
  return true;
}

}  // namespace firn
