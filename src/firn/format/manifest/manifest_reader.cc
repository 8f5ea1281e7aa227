#include <algorithm>
#include <utility>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/format/avro/avro_reader.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/manifest/manifest_entry_decoder_internal.h"
#include "firn/format/manifest/manifest_header_internal.h"

namespace firn {
namespace {

// Gives an entry what it does not say itself (reference 4.5, 4.6). Must see every entry of the
// manifest in file order.
class Inheritance {
 public:
  Inheritance(const ManifestFile& manifest, int format_version)
      : manifest_(manifest), format_version_(format_version) {
    if (manifest.content == ManifestContent::kData) next_row_id_ = manifest.first_row_id;
  }

  // Null, or what is wrong.
  const char* Apply(ManifestEntry& entry) {
    if (!entry.snapshot_id) entry.snapshot_id = manifest_.added_snapshot_id;
    if (const char* problem = InheritSequenceNumbers(entry)) return problem;
    return InheritFirstRowId(entry);
  }

 private:
  // A manifest that no snapshot has yet: what is null stays so.
  bool IsUnassigned() const { return manifest_.sequence_number == kUnassignedSequenceNumber; }

  const char* InheritSequenceNumbers(ManifestEntry& entry) const {
    if (IsUnassigned()) return nullptr;
    const bool inherits = entry.status == EntryStatus::kAdded || manifest_.sequence_number == 0;
    if (inherits) {
      if (!entry.sequence_number) entry.sequence_number = manifest_.sequence_number;
      if (!entry.file_sequence_number) entry.file_sequence_number = manifest_.sequence_number;
    }
    if (entry.sequence_number) return nullptr;
    if (format_version_ > 1) {
      return "it has no sequence number, which only an added entry may inherit";
    }
    // Version 1 knows no sequence numbers; all of its files count as 0.
    entry.sequence_number = 0;
    entry.file_sequence_number = 0;
    return nullptr;
  }

  const char* InheritFirstRowId(ManifestEntry& entry) {
    if (IsUnassigned()) return nullptr;
    std::optional<int64_t>& first_row_id = entry.file.first_row_id;
    if (!next_row_id_) {
      first_row_id.reset();
      return nullptr;
    }
    if (first_row_id || !entry.is_live()) return nullptr;
    first_row_id = next_row_id_;
    if (__builtin_add_overflow(*next_row_id_, entry.file.record_count, &*next_row_id_)) {
      return "the row ids that it inherits do not fit 64 bits";
    }
    return nullptr;
  }

  const ManifestFile& manifest_;
  int format_version_;
  std::optional<int64_t> next_row_id_;
};

Error EntryError(const AvroReader& reader, const AvroBlock& block, int64_t entry,
                 std::string_view problem) {
  return MakeError(ErrorCode::kCorrupt, "manifest {}: block {} at byte {}, entry {}: {}",
                   reader.uri(), block.index, block.offset, entry, problem);
}

const char* CheckContent(const ManifestFile& manifest, const ManifestEntry& entry) {
  const bool is_data = entry.file.content == FileContent::kData;
  if (is_data == (manifest.content == ManifestContent::kData)) return nullptr;
  return is_data ? "it is a data file in a manifest of deletes"
                 : "it is a delete file in a manifest of data";
}

// Read the entries of one block; `entry_index` runs over the file.
Status ReadBlock(const AvroReader& reader, const AvroBlock& block, const ManifestFile& manifest,
                 bool with_deleted, ManifestEntryDecoder& decoder, Inheritance& inheritance,
                 int64_t& entry_index, ManifestEntry& entry,
                 const std::function<Status(ManifestEntry&)>& visit) {
  AvroCursor cursor(block.bytes);
  for (int64_t left = block.record_count; left > 0; --left, ++entry_index) {
    if (!decoder.Decode(cursor, entry)) {
      return EntryError(reader, block, entry_index, decoder.problem());
    }
    const char* problem = CheckContent(manifest, entry);
    if (problem == nullptr) problem = inheritance.Apply(entry);
    if (problem != nullptr) {
      return EntryError(reader, block, entry_index,
                        fmt::format("{} (file {})", problem, entry.file.file_path));
    }
    if (!with_deleted && !entry.is_live()) continue;
    entry.file.partition_spec_id = manifest.partition_spec_id;
    FIRN_RETURN_IF_ERROR(visit(entry));
  }
  if (cursor.remaining() > 0) {
    return EntryError(reader, block, entry_index,
                      fmt::format("{} bytes are left after the last entry", cursor.remaining()));
  }
  return {};
}

}  // namespace

Result<ManifestHeader> ParseManifestIdentity(const AvroReader& reader) {
  ManifestHeader header{.format_version = 1};
  const auto read_number = [&](std::string_view key, int32_t& number) -> Status {
    const std::string* text = reader.FindMetadata(key);
    if (text == nullptr) return {};
    const auto parsed = ParseInt32(*text);
    if (!parsed) {
      return MakeError(ErrorCode::kCorrupt, "manifest {}: '{}' is '{}', expected a number",
                       reader.uri(), key, *text);
    }
    number = *parsed;
    return {};
  };
  FIRN_RETURN_IF_ERROR(read_number("format-version", header.format_version));
  FIRN_RETURN_IF_ERROR(read_number("partition-spec-id", header.partition_spec_id));
  const std::string* content = reader.FindMetadata("content");
  if (content != nullptr && EqualsIgnoreCase(*content, "deletes")) {
    header.content = ManifestContent::kDeletes;
  }
  return header;
}

Status ReadManifest(FileIO& io, const ManifestFile& manifest, const Type& partition_type,
                    const ManifestReadOptions& options,
                    const std::function<Status(ManifestEntry&)>& visit) {
  if (manifest.key_metadata) {
    return MakeError(ErrorCode::kUnsupported, "manifest {}: it is encrypted",
                     manifest.manifest_path);
  }
  const std::optional<int64_t> size =
      manifest.manifest_length > 0 ? std::optional(manifest.manifest_length) : std::nullopt;
  FIRN_ASSIGN(auto file, io.Open(manifest.manifest_path, size));
  FIRN_ASSIGN(const auto reader, AvroReader::Open(std::move(file)), "manifest");
  FIRN_ASSIGN(const ManifestHeader header, ParseManifestIdentity(*reader));
  FIRN_ASSIGN(auto decoder, ManifestEntryDecoder::Make(reader->schema(), partition_type, options,
                                                       fmt::format("manifest {}", reader->uri())));
  Inheritance inheritance(manifest, header.format_version);
  ManifestEntry entry;
  AvroBlock block;
  int64_t entry_index = 0;
  while (true) {
    FIRN_ASSIGN(const bool has_block, reader->NextBlock(block), "manifest");
    if (!has_block) return {};
    FIRN_RETURN_IF_ERROR(ReadBlock(*reader, block, manifest, options.with_deleted, decoder,
                                   inheritance, entry_index, entry, visit));
  }
}

}  // namespace firn
