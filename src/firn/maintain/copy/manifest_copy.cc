#include <functional>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "firn/format/avro/avro_cursor.h"
#include "firn/format/avro/avro_reader.h"
#include "firn/format/avro/avro_value.h"
#include "firn/format/avro/avro_writer.h"
#include "firn/format/schema/schema.h"
#include "firn/maintain/copy/manifest_copy_internal.h"

namespace firn {
namespace {

// Ids of fields of the spec.
constexpr int32_t kEntryStatus = 0;
constexpr int32_t kEntryDataFile = 2;
constexpr int32_t kFilePath = 100;
constexpr int32_t kFileSize = 104;
constexpr int32_t kLowerBounds = 125;
constexpr int32_t kUpperBounds = 128;
constexpr int32_t kContent = 134;
constexpr int32_t kReferencedDataFile = 143;
constexpr int32_t kContentOffset = 144;
constexpr int32_t kContentSize = 145;
constexpr int32_t kManifestPath = 500;
constexpr int32_t kManifestLength = 501;

constexpr int64_t kStatusDeleted = 2;
constexpr int64_t kPositionDeletes = 1;

// The bytes of a value in the file, and its type.
struct RawValue {
  const AvroNode* node = nullptr;
  std::string_view bytes;

  AvroCursor cursor() const { return AvroCursor(AsBytes(bytes)); }
};

// A record taken apart, in the order of its fields.
class RawRecord {
 public:
  static Result<RawRecord> Read(const AvroNode& record, std::string_view bytes) {
    if (record.kind != AvroKind::kRecord) return Error(ErrorCode::kCorrupt, "expected a record");
    RawRecord raw;
    AvroCursor cursor(AsBytes(bytes));
    for (const AvroField& field : record.fields) {
      const size_t begin = cursor.position();
      cursor.Skip(*field.type);
      if (!cursor.ok()) return Error(ErrorCode::kCorrupt, cursor.failure());
      raw.ids_.push_back(field.field_id);
      raw.values_.push_back({field.type.get(), bytes.substr(begin, cursor.position() - begin)});
    }
    return raw;
  }

  const RawValue* Find(int32_t id) const {
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (ids_[i] == id) return &values_[i];
    }
    return nullptr;
  }

  // Let a field have other bytes.
  void Replace(int32_t id, std::string bytes) { replaced_[id] = std::move(bytes); }

  void AppendTo(std::string& out) const {
    for (size_t i = 0; i < ids_.size(); ++i) {
      const auto other = replaced_.find(ids_[i]);
      out += other == replaced_.end() ? values_[i].bytes : std::string_view(other->second);
    }
  }

 private:
  std::vector<int32_t> ids_;
  std::vector<RawValue> values_;
  std::map<int32_t, std::string> replaced_;
};

// The value behind an option; nullopt if it is null or of another kind.
std::optional<AvroCursor> Present(const RawValue* value, AvroOption& option) {
  if (value == nullptr) return std::nullopt;
  const Result<AvroOption> resolved = ResolveAvroOption(*value->node, "");
  if (!resolved.ok() || resolved->value == nullptr) return std::nullopt;
  option = *resolved;
  AvroCursor cursor = value->cursor();
  if (option.branch_count > 0 &&
      cursor.ReadIndex(static_cast<size_t>(option.branch_count)) == option.null_branch) {
    return std::nullopt;
  }
  return cursor;
}

std::optional<std::string> TextOf(const RawValue* value) {
  AvroOption option;
  auto cursor = Present(value, option);
  if (!cursor || option.value->kind != AvroKind::kString) return std::nullopt;
  return std::string(cursor->ReadBytes());
}

std::optional<int64_t> NumberOf(const RawValue* value) {
  AvroOption option;
  auto cursor = Present(value, option);
  const bool is_number =
      cursor && (option.value->kind == AvroKind::kInt || option.value->kind == AvroKind::kLong);
  return is_number ? std::optional(cursor->ReadLong()) : std::nullopt;
}

// The branch before a value that is not null.
void AppendPresent(std::string& out, const AvroNode& node) {
  const Result<AvroOption> option = ResolveAvroOption(node, "");
  if (option.ok() && option->null_branch >= 0) AppendAvroLong(out, 1 - option->null_branch);
}

void SetText(RawRecord& record, int32_t id, std::string_view text) {
  std::string bytes;
  AppendPresent(bytes, *record.Find(id)->node);
  AppendAvroBytes(bytes, text);
  record.Replace(id, std::move(bytes));
}

Status SetNumber(RawRecord& record, int32_t id, int64_t number) {
  const RawValue* value = record.Find(id);
  if (!NumberOf(value)) {
    return MakeError(ErrorCode::kCorrupt, "the entry has no number in field {}", id);
  }
  std::string bytes;
  AppendPresent(bytes, *value->node);
  AppendAvroLong(bytes, number);
  record.Replace(id, std::move(bytes));
  return {};
}

// Bounds by field id; nullopt if there are none, or they are not laid out as such.
using Bounds = std::vector<std::pair<int32_t, std::string>>;
std::optional<Bounds> BoundsOf(const RawValue* value) {
  AvroOption option;
  auto cursor = Present(value, option);
  if (!cursor || option.value->kind != AvroKind::kArray) return std::nullopt;
  const AvroNode& item = option.value->items();
  const bool is_pair = item.kind == AvroKind::kRecord && item.fields.size() == 2 &&
                       item.fields[0].type->kind == AvroKind::kInt &&
                       item.fields[1].type->kind == AvroKind::kBytes;
  if (!is_pair) return std::nullopt;
  Bounds bounds;
  while (int64_t count = cursor->ReadItemCount(item.min_size)) {
    for (; count > 0 && cursor->ok(); --count) {
      const int32_t id = cursor->ReadInt();
      bounds.emplace_back(id, std::string(cursor->ReadBytes()));
    }
  }
  return bounds;
}

void SetBounds(RawRecord& record, int32_t id, const Bounds& bounds) {
  std::string bytes;
  AppendPresent(bytes, *record.Find(id)->node);
  if (!bounds.empty()) AppendAvroLong(bytes, static_cast<int64_t>(bounds.size()));
  for (const auto& [key, value] : bounds) {
    AppendAvroLong(bytes, key);
    AppendAvroBytes(bytes, value);
  }
  AppendAvroLong(bytes, 0);
  record.Replace(id, std::move(bytes));
}

// Bounds of the paths in a position delete file: renamed if both are whole paths, else left out.
void RenameBounds(RawRecord& file, const PathPrefix& prefix) {
  std::optional<Bounds> lower = BoundsOf(file.Find(kLowerBounds));
  std::optional<Bounds> upper = BoundsOf(file.Find(kUpperBounds));
  bool is_whole = true;
  for (const auto* bounds : {&lower, &upper}) {
    if (!*bounds) continue;
    for (const auto& [id, path] : **bounds)
      is_whole &= id != kDeleteFilePathFieldId || prefix.Covers(path);
  }
  const auto rename = [&](std::optional<Bounds>& bounds, int32_t id) {
    if (!bounds) return;
    Bounds renamed;
    for (auto& [key, value] : *bounds) {
      if (key == kDeleteFilePathFieldId) {
        if (!is_whole) continue;
        value = *prefix.Rename(value);
      }
      renamed.emplace_back(key, std::move(value));
    }
    SetBounds(file, id, renamed);
  };
  rename(lower, kLowerBounds);
  rename(upper, kUpperBounds);
}

Status EditFile(RawRecord& file, bool is_live, const PathPrefix& prefix,
                const CopiedDeleteFiles& deletes) {
  const std::optional<std::string> path = TextOf(file.Find(kFilePath));
  if (!path) return Error(ErrorCode::kCorrupt, "the entry names no file");
  FIRN_ASSIGN(const std::string renamed, prefix.Rename(*path));
  SetText(file, kFilePath, renamed);
  if (NumberOf(file.Find(kContent)).value_or(0) != kPositionDeletes) return {};
  if (const auto referenced = TextOf(file.Find(kReferencedDataFile))) {
    FIRN_ASSIGN(const std::string data_file, prefix.Rename(*referenced));
    SetText(file, kReferencedDataFile, data_file);
  }
  RenameBounds(file, prefix);
  const auto copied = deletes.find(*path);
  if (!is_live || copied == deletes.end()) return {};
  FIRN_RETURN_IF_ERROR(SetNumber(file, kFileSize, copied->second.file_size));
  const auto offset = NumberOf(file.Find(kContentOffset));
  if (!offset || copied->second.vectors.empty()) return {};
  const auto vector = copied->second.vectors.find(*offset);
  if (vector == copied->second.vectors.end()) {
    return MakeError(ErrorCode::kCorrupt, "'{}' has no deletion vector at offset {}", *path,
                     *offset);
  }
  FIRN_RETURN_IF_ERROR(SetNumber(file, kContentOffset, vector->second.first));
  return SetNumber(file, kContentSize, vector->second.second);
}

using EditRecord = std::function<Status(RawRecord&)>;

// Copy an Avro file, record by record.
Result<int64_t> CopyRecords(FileIO& io, const std::string& from, const std::string& to,
                            const EditRecord& edit) {
  FIRN_ASSIGN(auto input, io.Open(from));
  FIRN_ASSIGN(const auto reader, AvroReader::Open(std::move(input)));
  AvroWriterOptions options{.codec = reader->codec()};
  for (const auto& [key, value] : reader->metadata()) {
    if (key != "avro.schema" && key != "avro.codec") options.metadata.emplace_back(key, value);
  }
  FIRN_ASSIGN(auto output, io.Create(to, {.exclusive = true}));
  const AvroNode& schema = *reader->schema();
  FIRN_ASSIGN(const auto writer, AvroWriter::Make(std::move(output), schema, std::move(options)));
  AvroBlock block;
  int64_t index = 0;
  while (true) {
    FIRN_ASSIGN(const bool has_block, reader->NextBlock(block));
    if (!has_block) return writer->Finish();
    std::string_view bytes = AsText(block.bytes);
    for (int64_t i = 0; i < block.record_count; ++i, ++index) {
      AvroCursor cursor(AsBytes(bytes));
      cursor.Skip(schema);
      if (!cursor.ok()) {
        return MakeError(ErrorCode::kCorrupt, "'{}': entry {}: {}", from, index, cursor.failure());
      }
      FIRN_ASSIGN(RawRecord record, RawRecord::Read(schema, bytes.substr(0, cursor.position())),
                  "'{}': entry {}", from, index);
      FIRN_RETURN_IF_ERROR(edit(record), "'{}': entry {}", from, index);
      record.AppendTo(writer->record());
      FIRN_RETURN_IF_ERROR(writer->EndRecord());
      bytes.remove_prefix(cursor.position());
    }
    if (!bytes.empty()) {
      return MakeError(ErrorCode::kCorrupt, "'{}': {} bytes are left in the block of entry {}",
                       from, bytes.size(), index - 1);
    }
  }
}

}  // namespace

Result<int64_t> CopyManifest(FileIO& io, const std::string& from, const std::string& to,
                             const PathPrefix& prefix, const CopiedDeleteFiles& deletes) {
  return CopyRecords(io, from, to, [&](RawRecord& entry) -> Status {
    const RawValue* raw = entry.Find(kEntryDataFile);
    if (raw == nullptr) return Error(ErrorCode::kCorrupt, "the entry names no file");
    FIRN_ASSIGN(RawRecord file, RawRecord::Read(*raw->node, raw->bytes));
    const bool is_live = NumberOf(entry.Find(kEntryStatus)).value_or(0) != kStatusDeleted;
    FIRN_RETURN_IF_ERROR(EditFile(file, is_live, prefix, deletes));
    std::string bytes;
    file.AppendTo(bytes);
    entry.Replace(kEntryDataFile, std::move(bytes));
    return {};
  });
}

Result<int64_t> CopyManifestList(FileIO& io, const std::string& from, const std::string& to,
                                 const PathPrefix& prefix,
                                 const std::map<std::string, int64_t, std::less<>>& lengths) {
  return CopyRecords(io, from, to, [&](RawRecord& manifest) -> Status {
    const std::optional<std::string> path = TextOf(manifest.Find(kManifestPath));
    if (!path) return Error(ErrorCode::kCorrupt, "the entry names no manifest");
    FIRN_ASSIGN(const std::string renamed, prefix.Rename(*path));
    SetText(manifest, kManifestPath, renamed);
    const auto length = lengths.find(*path);
    if (length == lengths.end()) {
      return MakeError(ErrorCode::kInternal, "manifest '{}' was not written", *path);
    }
    return SetNumber(manifest, kManifestLength, length->second);
  });
}

}  // namespace firn
