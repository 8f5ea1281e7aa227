#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "firn/format/gzip.h"
#include "firn/format/json/json_reader.h"
#include "firn/format/json/json_writer.h"
#include "firn/ingest/target/loaded_files_internal.h"
#include "firn/io/discard_files.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr std::string_view kPropertyPrefix = "firn.loaded-files.";
/// Other engines leave folders alone whose names begin so when they remove orphans.
constexpr std::string_view kFolder = "_firn";

}  // namespace

Status ReadJson(JsonValue& json, LoadedFile& file) {
  ExtraFields ignored;
  return ReadMembers(json,
                     {RequiredMember("path", file.uri), RequiredMember("size", file.size),
                      OptionalMember("modified-us", file.modified_us),
                      OptionalMember("etag", file.etag), RequiredMember("load-id", file.load_id)},
                     ignored);
}

namespace {

struct LoadedList {
  std::string previous;
  std::vector<LoadedFile> files;
};

Result<LoadedList> ParseList(std::string_view text, std::string_view where) {
  LoadedList list;
  FIRN_RETURN_IF_ERROR(VisitJson(text, where, [&](JsonValue& root) {
    ExtraFields ignored;
    return ReadMembers(
        root, {OptionalMember("previous", list.previous), RequiredMember("files", list.files)},
        ignored);
  }));
  return list;
}

std::string FormatList(const LoadedList& list) {
  JsonWriter json;
  json.BeginObject();
  if (!list.previous.empty()) json.StringField("previous", list.previous);
  json.Key("files");
  json.BeginArray();
  for (const LoadedFile& file : list.files) {
    json.BeginObject();
    json.StringField("path", file.uri);
    json.IntField("size", file.size);
    if (file.modified_us) json.IntField("modified-us", *file.modified_us);
    if (!file.etag.empty()) json.StringField("etag", file.etag);
    json.StringField("load-id", file.load_id);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

Result<LoadedList> ReadList(FileIO& io, const std::string& uri, const std::string& property) {
  const auto bytes = ReadFile(io, uri);
  if (!bytes.ok()) {
    return MakeError(
        bytes.error().code() == ErrorCode::kNotFound ? ErrorCode::kCorrupt : bytes.error().code(),
        "the list of loaded files '{}' cannot be read: {}; without it firn does not "
        "know what is in the table; restore it, or unset the table property '{}' to "
        "begin anew",
        uri, bytes.error().message(), property);
  }
  FIRN_ASSIGN(const Buffer text,
              DecompressGzip(bytes->span(), MaxInflatedSize(bytes->span().size())), "'{}'", uri);
  return ParseList(text.view(), "'" + uri + "'");
}

using LoadIds = std::unordered_set<std::string>;

LoadIds LoadsOf(const std::vector<const Snapshot*>& snapshots) {
  LoadIds ids;
  for (const Snapshot* snapshot : snapshots) {
    if (const auto id = snapshot->summary.Find(kLoadId)) ids.emplace(*id);
  }
  return ids;
}

std::optional<int64_t> Microseconds(const std::optional<Timestamp>& time) {
  if (!time) return std::nullopt;
  return std::chrono::floor<std::chrono::microseconds>(time->time_since_epoch()).count();
}

bool ComesBefore(const LoadedFile& a, const LoadedFile& b) { return a.uri < b.uri; }

}  // namespace

Result<LoadedFiles> LoadedFiles::Read(const Table& table, const std::string& branch) {
  const TableMetadata& metadata = *table.metadata;
  LoadedFiles loaded;
  loaded.io_ = table.io;
  loaded.folder_ = JoinUri(metadata.MetadataLocation(), kFolder);
  loaded.property_ = std::string(kPropertyPrefix) + branch;
  std::vector<const Snapshot*> all;
  for (const Snapshot& snapshot : metadata.snapshots)
    all.push_back(&snapshot);
  const LoadIds known = LoadsOf(all);
  LoadIds own;
  if (const auto head = metadata.RefSnapshotId(branch)) own = LoadsOf(AncestorsOf(metadata, *head));
  // A branch may have got the rows that were loaded into another one.
  for (const auto& [name, uri] : metadata.properties) {
    if (!name.starts_with(kPropertyPrefix)) continue;
    FIRN_ASSIGN(LoadedList list, ReadList(*table.io, uri, name));
    const bool is_own = name == loaded.property_;
    if (is_own) {
      loaded.list_ = uri;
      loaded.previous_ = list.previous;
    }
    for (LoadedFile& file : list.files) {
      // The snapshot may have expired, but not one that was rolled back.
      const bool has_rows = own.contains(file.load_id) || (is_own && !known.contains(file.load_id));
      if (has_rows) loaded.files_.push_back(std::move(file));
    }
  }
  std::stable_sort(loaded.files_.begin(), loaded.files_.end(), ComesBefore);
  return loaded;
}

bool LoadedFiles::Has(const SourceFile& file) const {
  LoadedFile wanted;
  wanted.uri = file.info.uri;
  const auto modified_us = Microseconds(file.info.modified);
  const auto [begin, end] = std::equal_range(files_.begin(), files_.end(), wanted, ComesBefore);
  return std::any_of(begin, end, [&](const LoadedFile& loaded) {
    const bool has_etags = !loaded.etag.empty() && !file.info.etag.empty();
    return loaded.size == file.info.size &&
           (has_etags ? loaded.etag == file.info.etag : loaded.modified_us == modified_us);
  });
}

size_t LoadedFiles::KeepNew(std::vector<SourceFile>& files) const {
  return std::erase_if(files, [this](const SourceFile& file) { return Has(file); });
}

Status LoadedFiles::Add(const std::vector<SourceFile>& files, Random& random) {
  load_id_ = FormatUuid(MakeUuid(random));
  LoadedList list{.previous = list_, .files = files_};
  for (const SourceFile& file : files) {
    // What the file was before is nothing to know any more.
    std::erase_if(list.files,
                  [&](const LoadedFile& loaded) { return loaded.uri == file.info.uri; });
    list.files.push_back({.uri = file.info.uri,
                          .size = file.info.size,
                          .modified_us = Microseconds(file.info.modified),
                          .etag = file.info.etag,
                          .load_id = load_id_});
  }
  new_list_ = JoinUri(folder_, "loaded-" + load_id_ + ".json.gz");
  const std::string packed = CompressGzip(FormatList(list));
  return WriteFile(*io_, new_list_, AsBytes(packed), {.exclusive = true});
}

PlanUpdates LoadedFiles::Changes() const {
  return [property = property_, before = list_,
          after = new_list_](const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
    if (metadata.Property(property, "") != before) {
      return Error(ErrorCode::kCommitConflict,
                   "another run loaded new files into the table meanwhile, perhaps the same ones; "
                   "run the operation again");
    }
    return std::vector<TableUpdate>{SetProperties{{{property, after}}}};
  };
}

void LoadedFiles::CleanUp(const Table& now) const {
  if (new_list_.empty()) return;
  const bool is_used = now.metadata->Property(property_, "") == new_list_;
  const std::string& unused = is_used ? previous_ : new_list_;
  if (unused.empty()) return;
  DiscardFiles(*io_, std::vector<std::string>{unused}, "an old list of loaded files");
}

}  // namespace firn
