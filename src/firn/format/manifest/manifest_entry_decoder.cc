#include <algorithm>
#include <utility>

#include "firn/format/manifest/manifest_entry_decoder_internal.h"

namespace firn {
namespace {

// One bit each in the sets of slots.
enum Slot : uint8_t {
  kStatus,
  kSnapshotId,
  kSequenceNumber,
  kFileSequenceNumber,
  kDataFile,
  kContent,
  kFilePath,
  kFileFormat,
  kPartition,
  kRecordCount,
  kFileSize,
  kKeyMetadata,
  kSplitOffsets,
  kEqualityIds,
  kSortOrderId,
  kFirstRowId,
  kReferencedDataFile,
  kContentOffset,
  kContentSize,
  kColumnSizes,
  kValueCounts,
  kNullValueCounts,
  kNanValueCounts,
  kLowerBounds,
  kUpperBounds,
};

constexpr uint64_t Bit(uint8_t slot) { return uint64_t{1} << slot; }

constexpr uint64_t kMetricsSlots = Bit(kValueCounts) | Bit(kNullValueCounts) |
                                   Bit(kNanValueCounts) | Bit(kLowerBounds) | Bit(kUpperBounds);

constexpr uint64_t kCountSlots = Bit(kValueCounts) | Bit(kNullValueCounts);

constexpr KnownMember kDataFileMembers[] = {
    {134, "content", kContent},
    {100, "file_path", kFilePath, MemberShape::kBytes},
    {101, "file_format", kFileFormat, MemberShape::kBytes},
    {102, "partition", kPartition, MemberShape::kPartition},
    {103, "record_count", kRecordCount},
    {104, "file_size_in_bytes", kFileSize},
    {108, "column_sizes", kColumnSizes, MemberShape::kLongMap},
    {109, "value_counts", kValueCounts, MemberShape::kLongMap},
    {110, "null_value_counts", kNullValueCounts, MemberShape::kLongMap},
    {137, "nan_value_counts", kNanValueCounts, MemberShape::kLongMap},
    {125, "lower_bounds", kLowerBounds, MemberShape::kBytesMap},
    {128, "upper_bounds", kUpperBounds, MemberShape::kBytesMap},
    {131, "key_metadata", kKeyMetadata, MemberShape::kBytes},
    {132, "split_offsets", kSplitOffsets, MemberShape::kArray},
    {135, "equality_ids", kEqualityIds, MemberShape::kArray},
    {140, "sort_order_id", kSortOrderId},
    {142, "first_row_id", kFirstRowId},
    {143, "referenced_data_file", kReferencedDataFile, MemberShape::kBytes},
    {144, "content_offset", kContentOffset},
    {145, "content_size_in_bytes", kContentSize},
};

constexpr KnownMember kEntryMembers[] = {
    {0, "status", kStatus},
    {1, "snapshot_id", kSnapshotId},
    {3, "sequence_number", kSequenceNumber},
    {4, "file_sequence_number", kFileSequenceNumber},
    {2, "data_file", kDataFile, MemberShape::kRecord, kDataFileMembers},
};

constexpr std::pair<uint8_t, const char*> kRequired[] = {
    {kStatus, "it has no 'status'"},
    {kFilePath, "its file has no 'file_path'"},
    {kFileFormat, "its file has no 'file_format'"},
    {kRecordCount, "its file has no 'record_count'"},
    {kFileSize, "its file has no 'file_size_in_bytes'"},
};

// Without what only tells which columns there are.
uint64_t WantedSlots(const ManifestReadOptions& options) {
  uint64_t wanted = ~uint64_t{0};
  if (!options.with_metrics) wanted &= ~kMetricsSlots;
  if (!options.with_metrics || !options.with_column_sizes) wanted &= ~Bit(kColumnSizes);
  return wanted;
}

int64_t ReadCount(AvroCursor& cursor, const char* problem) {
  const int64_t count = cursor.ReadLong();
  if (count < 0) cursor.Fail(problem);
  return count;
}

}  // namespace

ManifestEntryDecoder::ManifestEntryDecoder(ReadProgram program, size_t partition_size,
                                           const ManifestReadOptions& options)
    : program_(std::move(program)),
      partition_size_(partition_size),
      filter_(options.metrics_field_ids),
      count_filter_(options.with_counted_columns ? nullptr : options.metrics_field_ids),
      kept_slots_(WantedSlots(options)),
      counts_columns_(options.with_counted_columns) {}

Result<ManifestEntryDecoder> ManifestEntryDecoder::Make(AvroNodePtr schema,
                                                        const Type& partition_type,
                                                        const ManifestReadOptions& options,
                                                        std::string_view where) {
  uint64_t wanted = WantedSlots(options);
  if (options.with_counted_columns) wanted |= kCountSlots | Bit(kColumnSizes);
  FIRN_ASSIGN(ReadProgram program,
              CompileReadProgram(std::move(schema), kEntryMembers, wanted, &partition_type, where));
  for (const auto& [slot, problem] : kRequired) {
    if ((program.slots & Bit(slot)) == 0) {
      return MakeError(ErrorCode::kCorrupt, "{}: not a manifest: an entry of its schema: {}", where,
                       problem);
    }
  }
  return ManifestEntryDecoder(std::move(program), partition_type.fields().size(), options);
}

std::string ManifestEntryDecoder::problem() const {
  return found_.empty() ? failure_ : fmt::format("{} ('{}')", failure_, found_);
}

void ManifestEntryDecoder::Reset(ManifestEntry& entry) const {
  entry.snapshot_id.reset();
  entry.sequence_number.reset();
  entry.file_sequence_number.reset();
  DataFile& file = entry.file;
  file.content = FileContent::kData;
  file.counted_columns.reset();
  file.key_metadata.reset();
  file.split_offsets.clear();
  file.equality_ids.clear();
  file.sort_order_id.reset();
  file.first_row_id.reset();
  file.referenced_data_file.reset();
  file.content_offset.reset();
  file.content_size_in_bytes.reset();
  file.partition.fields.resize(partition_size_);
  for (Value& value : file.partition.fields)
    value = Value();
}

bool ManifestEntryDecoder::Decode(AvroCursor& cursor, ManifestEntry& entry) {
  Reset(entry);
  seen_ = 0;
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    const ReadStep& step = program_.steps[i];
    if (step.kind == ReadStep::Kind::kRead) {
      if (EntersMember(cursor, step)) {
        seen_ |= Bit(step.slot);
        ReadMember(cursor, step, entry);
      }
    } else if (step.kind == ReadStep::Kind::kEnter) {
      if (!EntersMember(cursor, step)) i += step.operand;
    } else {
      RunSkipStep(cursor, step);
    }
  }
  if (counts_columns_) CountColumns(entry.file);
  SettleMetrics(entry.file.metrics);
  if (!cursor.ok()) {
    failure_ = cursor.failure();
    return false;
  }
  for (const auto& [slot, problem] : kRequired) {
    if ((seen_ & Bit(slot)) != 0) continue;
    failure_ = problem;
    return false;
  }
  return true;
}

void ManifestEntryDecoder::ReadMember(AvroCursor& cursor, const ReadStep& step,
                                      ManifestEntry& entry) {
  switch (step.slot) {
    case kStatus: {
      const int64_t status = cursor.ReadLong();
      if (status < 0 || status > 2) cursor.Fail("its status is not 0, 1 or 2");
      entry.status = static_cast<EntryStatus>(status);
      return;
    }
    case kSnapshotId:
      entry.snapshot_id = cursor.ReadLong();
      return;
    case kSequenceNumber:
      entry.sequence_number = cursor.ReadLong();
      return;
    case kFileSequenceNumber:
      entry.file_sequence_number = cursor.ReadLong();
      return;
    default:
      ReadFileMember(cursor, step, entry.file);
  }
}

void ManifestEntryDecoder::ReadFileMember(AvroCursor& cursor, const ReadStep& step,
                                          DataFile& file) {
  switch (step.slot) {
    case kContent: {
      const int64_t content = cursor.ReadLong();
      if (content < 0 || content > 2) cursor.Fail("the content of its file is not 0, 1 or 2");
      file.content = static_cast<FileContent>(content);
      return;
    }
    case kFilePath:
      file.file_path.assign(ReadMemberBytes(cursor, *step.node));
      return;
    case kFileFormat: {
      const std::string_view text = ReadMemberBytes(cursor, *step.node);
      const auto format = ParseFileFormat(text);
      if (format.ok()) {
        file.file_format = *format;
        return;
      }
      if (cursor.ok()) found_ = text.substr(0, 32);
      return cursor.Fail("the format of its file is not avro, orc, parquet or puffin");
    }
    case kPartitionValueSlot: {
      const PartitionPlan& plan = program_.partition[step.operand];
      file.partition.fields[plan.index] = ReadAvroValue(cursor, plan.conversion);
      return;
    }
    case kRecordCount:
      file.record_count = ReadCount(cursor, "the record count of its file is negative");
      return;
    case kFileSize:
      file.file_size_in_bytes = ReadCount(cursor, "the size of its file is negative");
      return;
    case kKeyMetadata:
      file.key_metadata.emplace(ReadMemberBytes(cursor, *step.node));
      return;
    case kSplitOffsets:
      return ReadLongArray(cursor, *step.node, file.split_offsets);
    case kEqualityIds:
      return ReadIntArray(cursor, *step.node, file.equality_ids);
    case kSortOrderId:
      file.sort_order_id = cursor.ReadInt();
      return;
    case kFirstRowId:
      file.first_row_id = cursor.ReadLong();
      return;
    case kReferencedDataFile:
      file.referenced_data_file.emplace(ReadMemberBytes(cursor, *step.node));
      return;
    case kContentOffset:
      file.content_offset = ReadCount(cursor, "the content offset of its file is negative");
      return;
    case kContentSize:
      file.content_size_in_bytes = ReadCount(cursor, "the content size of its file is negative");
      return;
    default:
      ReadMetrics(cursor, step, file.metrics);
  }
}

// The counts and sizes of all columns were read: tell the columns that the file must have, and keep
// what is wanted.
void ManifestEntryDecoder::CountColumns(DataFile& file) {
  FileMetrics& metrics = file.metrics;
  counted_.clear();
  if ((seen_ & Bit(kColumnSizes)) != 0) {
    for (const auto& [id, size] : metrics.column_sizes)
      if (size > 0) counted_.push_back(id);
  }
  if ((seen_ & kCountSlots) == kCountSlots) {
    const size_t sized = counted_.size();
    auto null = metrics.null_value_counts.begin();
    for (const auto& [id, values] : metrics.value_counts) {
      while (null != metrics.null_value_counts.end() && null->first < id)
        ++null;
      const bool has_nulls = null != metrics.null_value_counts.end() && null->first == id;
      if (has_nulls && values > null->second) counted_.push_back(id);
    }
    std::inplace_merge(counted_.begin(), counted_.begin() + static_cast<ptrdiff_t>(sized),
                       counted_.end());
    counted_.erase(std::unique(counted_.begin(), counted_.end()), counted_.end());
  }
  if (last_counted_ == nullptr || *last_counted_ != counted_) {
    last_counted_ = std::make_shared<const std::vector<int32_t>>(counted_);
  }
  file.counted_columns = last_counted_;
  seen_ &= kept_slots_;
  const auto is_unwanted = [this](const auto& item) { return !filter_.Keeps(item.first); };
  std::erase_if(metrics.column_sizes, is_unwanted);
  std::erase_if(metrics.value_counts, is_unwanted);
  std::erase_if(metrics.null_value_counts, is_unwanted);
}

// Maps that the entry has no value for still hold those of the entry before.
void ManifestEntryDecoder::SettleMetrics(FileMetrics& metrics) const {
  metrics.stored_empty = 0;
  const auto settle = [&](uint8_t slot, auto& map, FileMetrics::MapBit bit) {
    if ((seen_ & Bit(slot)) == 0) {
      map.clear();
    } else if (map.empty()) {
      metrics.stored_empty |= bit;
    }
  };
  settle(kColumnSizes, metrics.column_sizes, FileMetrics::kColumnSizes);
  settle(kValueCounts, metrics.value_counts, FileMetrics::kValueCounts);
  settle(kNullValueCounts, metrics.null_value_counts, FileMetrics::kNullValueCounts);
  settle(kNanValueCounts, metrics.nan_value_counts, FileMetrics::kNanValueCounts);
  settle(kLowerBounds, metrics.lower_bounds, FileMetrics::kLowerBounds);
  settle(kUpperBounds, metrics.upper_bounds, FileMetrics::kUpperBounds);
}

void ManifestEntryDecoder::ReadMetrics(AvroCursor& cursor, const ReadStep& step,
                                       FileMetrics& metrics) {
  const MapPlan& plan = program_.maps[step.operand];
  switch (step.slot) {
    case kColumnSizes:
      return ReadLongMap(cursor, plan, count_filter_, metrics.column_sizes);
    case kValueCounts:
      return ReadLongMap(cursor, plan, count_filter_, metrics.value_counts);
    case kNullValueCounts:
      return ReadLongMap(cursor, plan, count_filter_, metrics.null_value_counts);
    case kNanValueCounts:
      return ReadLongMap(cursor, plan, filter_, metrics.nan_value_counts);
    case kLowerBounds:
      return ReadBytesMap(cursor, plan, filter_, metrics.lower_bounds);
    case kUpperBounds:
      return ReadBytesMap(cursor, plan, filter_, metrics.upper_bounds);
    default:
      return;
  }
}

}  // namespace firn
