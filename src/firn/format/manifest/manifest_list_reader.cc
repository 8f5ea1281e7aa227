#include <utility>

#include "firn/format/avro/avro_reader.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/manifest/manifest_header_internal.h"
#include "firn/format/manifest/manifest_program_internal.h"

namespace firn {
namespace {

// Far above any real list; keeps a hostile one from filling the memory.
constexpr size_t kManifestsMax = 4'000'000;
constexpr size_t kSummariesMax = 100'000;

enum Slot : uint8_t {
  kPath,
  kLength,
  kSpecId,
  kContent,
  kSequenceNumber,
  kMinSequenceNumber,
  kAddedSnapshotId,
  kAddedFiles,
  kExistingFiles,
  kDeletedFiles,
  kAddedRows,
  kExistingRows,
  kDeletedRows,
  kPartitions,
  kKeyMetadata,
  kFirstRowId,
};
enum SummarySlot : uint8_t { kContainsNull, kContainsNan, kLowerBound, kUpperBound };

constexpr KnownMember kSummaryMembers[] = {
    {509, "contains_null", kContainsNull, MemberShape::kBoolean},
    {518, "contains_nan", kContainsNan, MemberShape::kBoolean},
    {510, "lower_bound", kLowerBound, MemberShape::kBytes},
    {511, "upper_bound", kUpperBound, MemberShape::kBytes},
};

constexpr KnownMember kMembers[] = {
    {500, "manifest_path", kPath, MemberShape::kBytes},
    {501, "manifest_length", kLength},
    {502, "partition_spec_id", kSpecId},
    {517, "content", kContent},
    {515, "sequence_number", kSequenceNumber},
    {516, "min_sequence_number", kMinSequenceNumber},
    {503, "added_snapshot_id", kAddedSnapshotId},
    {504, "added_files_count", kAddedFiles},
    {505, "existing_files_count", kExistingFiles},
    {506, "deleted_files_count", kDeletedFiles},
    {512, "added_rows_count", kAddedRows},
    {513, "existing_rows_count", kExistingRows},
    {514, "deleted_rows_count", kDeletedRows},
    {507, "partitions", kPartitions, MemberShape::kRecordArray, kSummaryMembers},
    {519, "key_metadata", kKeyMetadata, MemberShape::kBytes},
    {520, "first_row_id", kFirstRowId},
    // Spellings of old writers.
    {504, "added_data_files_count", kAddedFiles},
    {505, "existing_data_files_count", kExistingFiles},
    {506, "deleted_data_files_count", kDeletedFiles},
};

constexpr uint64_t Bit(uint8_t slot) { return uint64_t{1} << slot; }
constexpr std::pair<uint8_t, const char*> kRequired[] = {
    {kPath, "it has no 'manifest_path'"},
    {kLength, "it has no 'manifest_length'"},
    {kSpecId, "it has no 'partition_spec_id'"},
};

void ReadSummaryMember(AvroCursor& cursor, const ReadStep& step, FieldSummary& summary) {
  switch (step.slot) {
    case kContainsNull:
      summary.contains_null = cursor.ReadBool();
      return;
    case kContainsNan:
      summary.contains_nan = cursor.ReadBool();
      return;
    case kLowerBound:
      summary.lower_bound.emplace(ReadMemberBytes(cursor, *step.node));
      return;
    case kUpperBound:
      summary.upper_bound.emplace(ReadMemberBytes(cursor, *step.node));
      return;
    default:
      return;
  }
}

void ReadSummaries(AvroCursor& cursor, const ReadProgram& program, const AvroNode& array,
                   std::vector<FieldSummary>& summaries) {
  while (int64_t count = cursor.ReadItemCount(array.items().min_size)) {
    for (; count > 0 && cursor.ok(); --count) {
      if (summaries.size() == kSummariesMax) return cursor.Fail("it has too many summaries");
      FieldSummary& summary = summaries.emplace_back();
      for (const ReadStep& step : program.steps) {
        if (step.kind != ReadStep::Kind::kRead) {
          RunSkipStep(cursor, step);
        } else if (EntersMember(cursor, step)) {
          ReadSummaryMember(cursor, step, summary);
        }
      }
    }
  }
}

// A count that an old or careless writer may have left at -1: unknown.
std::optional<int64_t> ReadCount(AvroCursor& cursor) {
  const int64_t count = cursor.ReadLong();
  return count < 0 ? std::nullopt : std::optional(count);
}

void ReadCountMember(AvroCursor& cursor, const ReadStep& step, ManifestFile& manifest) {
  switch (step.slot) {
    case kAddedFiles:
      manifest.added_files_count = ReadCount(cursor);
      return;
    case kExistingFiles:
      manifest.existing_files_count = ReadCount(cursor);
      return;
    case kDeletedFiles:
      manifest.deleted_files_count = ReadCount(cursor);
      return;
    case kAddedRows:
      manifest.added_rows_count = ReadCount(cursor);
      return;
    case kExistingRows:
      manifest.existing_rows_count = ReadCount(cursor);
      return;
    case kDeletedRows:
      manifest.deleted_rows_count = ReadCount(cursor);
      return;
    default:
      return;
  }
}

void ReadMember(AvroCursor& cursor, const ReadProgram& program, const ReadStep& step,
                ManifestFile& manifest) {
  switch (step.slot) {
    case kPath:
      manifest.manifest_path.assign(ReadMemberBytes(cursor, *step.node));
      return;
    case kLength:
      manifest.manifest_length = cursor.ReadLong();
      if (manifest.manifest_length < 0) cursor.Fail("its manifest length is negative");
      return;
    case kSpecId:
      manifest.partition_spec_id = cursor.ReadInt();
      return;
    case kContent: {
      const int64_t content = cursor.ReadLong();
      if (content < 0 || content > 1) cursor.Fail("its content is not 0 or 1");
      manifest.content = static_cast<ManifestContent>(content);
      return;
    }
    case kSequenceNumber:
      manifest.sequence_number = cursor.ReadLong();
      if (manifest.sequence_number < 0) cursor.Fail("its sequence number is negative");
      return;
    case kMinSequenceNumber:
      manifest.min_sequence_number = cursor.ReadLong();
      return;
    case kAddedSnapshotId:
      manifest.added_snapshot_id = cursor.ReadLong();
      return;
    case kPartitions:
      manifest.partitions.emplace();
      return ReadSummaries(cursor, *program.items[step.operand], *step.node, *manifest.partitions);
    case kKeyMetadata:
      manifest.key_metadata.emplace(ReadMemberBytes(cursor, *step.node));
      return;
    case kFirstRowId:
      manifest.first_row_id = cursor.ReadLong();
      if (*manifest.first_row_id < 0) cursor.Fail("its first row id is negative");
      return;
    default:
      ReadCountMember(cursor, step, manifest);
  }
}

// Null, or what is wrong.
const char* ReadManifestFile(AvroCursor& cursor, const ReadProgram& program,
                             ManifestFile& manifest) {
  uint64_t seen = 0;
  for (const ReadStep& step : program.steps) {
    if (step.kind != ReadStep::Kind::kRead) {
      RunSkipStep(cursor, step);
    } else if (EntersMember(cursor, step)) {
      seen |= Bit(step.slot);
      ReadMember(cursor, program, step, manifest);
    }
  }
  if (!cursor.ok()) return cursor.failure();
  for (const auto& [slot, problem] : kRequired) {
    if ((seen & Bit(slot)) == 0) return problem;
  }
  // Delete manifests never number rows, whatever their writer put there.
  if (manifest.content == ManifestContent::kDeletes) manifest.first_row_id.reset();
  return nullptr;
}

// A v1 snapshot that names its manifests itself: what a list would say comes from their headers.
Result<ManifestFile> DescribeManifest(FileIO& io, const Snapshot& snapshot,
                                      const std::string& uri) {
  FIRN_ASSIGN(auto file, io.Open(uri));
  FIRN_ASSIGN(const auto reader, AvroReader::Open(std::move(file)), "manifest");
  FIRN_ASSIGN(const ManifestHeader header, ParseManifestIdentity(*reader));
  ManifestFile manifest;
  manifest.manifest_path = uri;
  manifest.manifest_length = reader->file_size();
  manifest.partition_spec_id = header.partition_spec_id;
  manifest.content = header.content;
  manifest.added_snapshot_id = snapshot.snapshot_id;
  return manifest;
}

}  // namespace

Result<std::vector<ManifestFile>> ReadManifestList(FileIO& io, std::string_view uri) {
  FIRN_ASSIGN(auto file, io.Open(uri));
  FIRN_ASSIGN(const auto reader, AvroReader::Open(std::move(file)), "manifest list");
  const std::string where = fmt::format("manifest list {}", uri);
  FIRN_ASSIGN(const ReadProgram program,
              CompileReadProgram(reader->schema(), kMembers, ~uint64_t{0}, nullptr, where));
  for (const auto& [slot, problem] : kRequired) {
    if ((program.slots & Bit(slot)) != 0) continue;
    return MakeError(ErrorCode::kCorrupt, "{}: not a manifest list: an entry of its schema: {}",
                     where, problem);
  }
  std::vector<ManifestFile> manifests;
  AvroBlock block;
  while (true) {
    FIRN_ASSIGN(const bool has_block, reader->NextBlock(block), "manifest list");
    if (!has_block) return manifests;
    AvroCursor cursor(block.bytes);
    for (int64_t left = block.record_count; left > 0; --left) {
      if (manifests.size() == kManifestsMax) {
        return MakeError(ErrorCode::kResourceExhausted, "{}: it has more than {} manifests", where,
                         kManifestsMax);
      }
      const size_t entry = manifests.size();
      if (const char* problem = ReadManifestFile(cursor, program, manifests.emplace_back())) {
        return MakeError(ErrorCode::kCorrupt, "{}: block {} at byte {}, entry {}: {}", where,
                         block.index, block.offset, entry, problem);
      }
    }
    if (cursor.remaining() > 0) {
      return MakeError(ErrorCode::kCorrupt,
                       "{}: block {} at byte {}: {} bytes after the last entry", where, block.index,
                       block.offset, cursor.remaining());
    }
  }
}

Result<std::vector<ManifestFile>> ReadManifests(FileIO& io, const Snapshot& snapshot) {
  if (!snapshot.manifest_list.empty()) return ReadManifestList(io, snapshot.manifest_list);
  std::vector<ManifestFile> manifests;
  for (const std::string& uri : snapshot.manifests) {
    FIRN_ASSIGN(ManifestFile manifest, DescribeManifest(io, snapshot, uri),
                "snapshot {} without manifest list", snapshot.snapshot_id);
    manifests.push_back(std::move(manifest));
  }
  return manifests;
}

}  // namespace firn
