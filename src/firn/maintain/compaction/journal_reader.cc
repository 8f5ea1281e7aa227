#include <algorithm>
#include <string_view>

#include "firn/base/number.h"
#include "firn/format/manifest/content_file_json.h"
#include "firn/io/uri.h"
#include "firn/maintain/compaction/journal_reader_internal.h"

namespace firn {
namespace {

// The number in "group-00003.json" and "group-00003-00001.output".
std::optional<int64_t> GroupNumber(std::string_view name) {
  if (!name.starts_with("group-")) return std::nullopt;
  name.remove_prefix(6);
  return ParseInt64(name.substr(0, name.find_first_not_of("0123456789")));
}

void Note(JournalFiles& files, const FileInfo& info) {
  files.uris.push_back(info.uri);
  if (info.modified) {
    files.oldest = std::min(files.oldest.value_or(*info.modified), *info.modified);
    files.newest = std::max(files.newest.value_or(*info.modified), *info.modified);
  }
  const std::string_view name = UriFileName(info.uri);
  const std::optional<int64_t> group = GroupNumber(name);
  if (!group) return;
  if (name == JournalEntryName(*group)) files.entries.insert(*group);
  if (name.ends_with(".output")) files.outputs[*group].emplace_back(name);
}

}  // namespace

// Not in the namespace without name, where templates would not find it.
static Status ReadJson(JsonValue& json, FinishedInput& out) {
  ExtraFields extra;
  return ReadMembers(
      json,
      {RequiredMember("file-path", out.path),
       RequiredMember("sequence-number", out.sequence_number),
       RequiredMember("file-size-in-bytes", out.bytes), RequiredMember("deletes", out.deletes)},
      extra);
}

Result<std::string> ReadJournalText(FileIO& io, const std::string& uri) {
  FIRN_ASSIGN(const Buffer bytes, ReadFile(io, uri, int64_t{1} << 28));
  return std::string(bytes.view());
}

Result<JournalOwner> ReadJournalOwner(FileIO& io, const std::string& uri) {
  FIRN_ASSIGN(const std::string text, ReadJournalText(io, uri));
  JournalOwner owner;
  ExtraFields extra;
  FIRN_RETURN_IF_ERROR(VisitJson(text, uri, [&](JsonValue& json) {
    return ReadMembers(json,
                       {RequiredMember("table-uuid", owner.table_uuid),
                        RequiredMember("signature", owner.signature),
                        RequiredMember("machine", owner.process.machine),
                        RequiredMember("process-id", owner.process.process_id),
                        RequiredMember("started", owner.process.started),
                        RequiredMember("is-released", owner.is_released)},
                       extra);
  }));
  return owner;
}

ProcessState FindOwner(FileIO& io, const std::string& location, const JournalOwner* owner) {
  const LockState lock = FindLock(io, JoinUri(location, JournalLockName()));
  const ProcessState process =
      owner == nullptr ? ProcessState::kUnknown : FindProcess(owner->process);
  // A journal that was copied with its table has a lock that nobody holds.
  if (lock == LockState::kHeld || process == ProcessState::kRunning) return ProcessState::kRunning;
  return lock == LockState::kFree ? ProcessState::kEnded : process;
}

Result<FinishedGroup> ReadFinishedGroup(FileIO& io, const TableMetadata& metadata,
                                        const std::string& uri) {
  FIRN_ASSIGN(const std::string text, ReadJournalText(io, uri));
  const auto schemas = metadata.SchemasNewestFirst();
  const auto find_type = [&](int32_t spec_id) -> TypePtr {
    const PartitionSpecPtr spec = metadata.FindSpec(spec_id);
    return spec == nullptr ? nullptr : PartitionType(*spec, schemas);
  };
  FinishedGroup group;
  auto read_output = [&](JsonValue& json) -> Status {
    FinishedOutput& output = group.outputs.emplace_back();
    return json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
      if (key == "file") {
        FIRN_ASSIGN(output.file, ReadContentFileJson(value, find_type));
      } else if (key == "tail-crc32") {
        FIRN_ASSIGN(output.checksum, value.ReadInt64());
      }
      return {};
    });
  };
  FIRN_RETURN_IF_ERROR(VisitJson(text, uri, [&](JsonValue& json) {
    return json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
      if (key == "inputs") return ReadJson(value, group.inputs);
      if (key == "may-be-committed") return ReadJson(value, group.may_be_committed);
      if (key == "outputs") return value.VisitElements(read_output);
      return {};
    });
  }));
  return group;
}

Result<std::map<std::string, JournalFiles>> ListJournals(FileIO& io, const std::string& location) {
  std::map<std::string, JournalFiles> journals;
  const Status listed = io.List(location, [&](const FileInfo& info) -> Status {
    const std::string folder = info.uri.substr(0, info.uri.rfind('/'));
    if (UriFileName(folder).starts_with(kJournalPrefix)) Note(journals[folder], info);
    return {};
  });
  if (!listed.ok() && listed.error().code() != ErrorCode::kNotFound) return listed.error();
  // Folders of runs that died before they wrote anything.
  if (const auto folders = io.ListFolders(location); folders.ok()) {
    for (const std::string& name : *folders) {
      if (name.starts_with(kJournalPrefix)) journals.try_emplace(JoinUri(location, name));
    }
  }
  return journals;
}

}  // namespace firn
