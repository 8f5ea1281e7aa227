#include <algorithm>

#include "firn/data/write/file_formats_internal.h"

namespace firn {
namespace {

// Whatever memory there is.
constexpr size_t kOpenFilesMax = 256;
// Dictionaries may take this share of the budget, and while they are built their hash tables take
// this many times their own size.
constexpr int64_t kDictionaryShare = 4;
constexpr int64_t kDictionaryOverhead = 16;
constexpr int64_t kDictionaryBytesMin = int64_t{128} << 10;
// Unless there are so many columns that even this would be too much.
constexpr int64_t kSmallDictionaryShare = 16;
// A row group is held in memory until it is written, and rows until they are encoded.
constexpr int64_t kRowGroupShare = 8;
constexpr int64_t kRowGroupBytesMin = int64_t{1} << 20;
// With many columns, what is held is much more than what is written.
constexpr int64_t kHeldShare = 3;
constexpr int64_t kWaitingShare = 16;
constexpr int64_t kWaitingBytesMin = int64_t{2} << 20;
// So may the Bloom filters of all open files.
constexpr int64_t kBloomFilterShare = 8;
// A stripe of ORC is held in memory, buffers of its writer besides.
constexpr int64_t kStripeShare = 8;
constexpr int64_t kStripeBytesMin = int64_t{1} << 20;

int64_t CountLeaves(const Type& type) {
  if (!type.is_nested()) return 1;
  int64_t leaves = 0;
  for (const NestedField& field : type.fields())
    leaves += CountLeaves(*field.type);
  return leaves;
}

}  // namespace

Result<EncodeOptions> EncodeOptionsFrom(const WriteProperties& properties, const Schema& schema,
                                        int64_t memory_bytes, int64_t file_bytes) {
  EncodeOptions options;
  FIRN_ASSIGN(options.format, properties.Format());
  if (options.format == FileFormat::kAvro) {
    FIRN_ASSIGN(options.avro, AvroOptionsFrom(properties));
  } else if (options.format == FileFormat::kOrc) {
    FIRN_ASSIGN(options.orc, OrcOptionsFrom(properties));
    const int64_t bytes_max = std::max(memory_bytes / kStripeShare, kStripeBytesMin);
    options.orc.stripe_bytes = std::min(options.orc.stripe_bytes, bytes_max);
    if (file_bytes > 0) options.orc.stripe_bytes = std::min(options.orc.stripe_bytes, file_bytes);
  } else {
    FIRN_ASSIGN(options.parquet, ParquetOptionsFrom(properties, schema));
    const int64_t columns = std::max<int64_t>(CountLeaves(*schema.as_struct()), 1);
    const int64_t bytes_max = memory_bytes / (kDictionaryShare * kDictionaryOverhead * columns);
    const int64_t bytes_min =
        std::min(kDictionaryBytesMin, memory_bytes / (kSmallDictionaryShare * columns));
    options.parquet.dictionary_bytes =
        std::min(options.parquet.dictionary_bytes, std::max(bytes_max, bytes_min));
    options.parquet.row_group_bytes =
        std::min(options.parquet.row_group_bytes,
                 std::max(memory_bytes / kRowGroupShare, kRowGroupBytesMin));
    options.parquet.held_bytes_max = std::max(memory_bytes / kHeldShare, kRowGroupBytesMin);
    options.parquet.waiting_bytes_max = std::max(memory_bytes / kWaitingShare, kWaitingBytesMin);
  }
  return options;
}

size_t OpenFilesMax(const EncodeOptions& options, int64_t memory_bytes) {
  if (options.format == FileFormat::kOrc) return 1;
  if (options.format == FileFormat::kAvro) return kOpenFilesMax;
  const int64_t filters = options.parquet.BloomFilterBytes();
  if (filters == 0) return kOpenFilesMax;
  const int64_t files = memory_bytes / kBloomFilterShare / filters;
  return std::clamp<size_t>(static_cast<size_t>(files), 1, kOpenFilesMax);
}

std::string_view FileSuffix(FileFormat format) {
  if (format == FileFormat::kAvro) return ".avro";
  return format == FileFormat::kOrc ? ".orc" : ".parquet";
}

Result<std::unique_ptr<DataFileEncoder>> MakeEncoder(const EncodeContext& context,
                                                     const EncodeOptions& options) {
  if (options.format == FileFormat::kAvro) return MakeAvroEncoder(context, options.avro);
  if (options.format == FileFormat::kOrc) return MakeOrcEncoder(context, options.orc);
  return MakeParquetEncoder(context, options.parquet);
}

}  // namespace firn
