#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/result.h"
#include "firn/io/io.h"

/// The footer of a Parquet file. Names are those of the format's Thrift definition.

namespace firn {

enum class PhysicalType {
  kBoolean = 0,
  kInt32 = 1,
  kInt64 = 2,
  kInt96 = 3,
  kFloat = 4,
  kDouble = 5,
  kByteArray = 6,
  kFixedLenByteArray = 7,
};

enum class FieldRepetition { kRequired = 0, kOptional = 1, kRepeated = 2 };

enum class ParquetEncoding {
  kPlain = 0,
  kPlainDictionary = 2,
  kRle = 3,
  kBitPacked = 4,
  kDeltaBinaryPacked = 5,
  kDeltaLengthByteArray = 6,
  kDeltaByteArray = 7,
  kRleDictionary = 8,
  kByteStreamSplit = 9,
};

enum class ParquetCodec {
  kUncompressed = 0,
  kSnappy = 1,
  kGzip = 2,
  kLzo = 3,
  kBrotli = 4,
  kLz4Hadoop = 5,
  kZstd = 6,
  kLz4Raw = 7,
};

/// What the values of a leaf mean: the logical type, or the older converted type of that meaning.
/// Of groups: whether they are lists or maps.
struct LeafMeaning {
  enum class Kind {
    kNone,  ///< Signed integers of any width, too.
    kString,
    kJson,
    kBytes,  ///< Names of an enumeration, BSON.
    kDecimal,
    kDate,
    kTimeMillis,
    kTimeMicros,
    kTimeNanos,
    kTimestampMillis,
    kTimestampMicros,
    kTimestampNanos,
    kUnsigned,
    kUuid,
    kList,
    kMap,
    kOther,
  };
  Kind kind = Kind::kNone;
  int32_t scale = 0;      ///< Of kDecimal.
  int32_t precision = 0;  ///< Likewise.
  int32_t bits = 0;       ///< Of kUnsigned.
  bool is_utc = false;    ///< Of times: instants.

  bool operator==(const LeafMeaning&) const = default;
};

/// A node of the schema, flattened depth first.
struct SchemaElement {
  std::optional<PhysicalType> type;  ///< Of leaves only.
  int32_t type_length = 0;           ///< Of fixed-length byte arrays.
  FieldRepetition repetition = FieldRepetition::kRequired;
  std::string name;
  int32_t num_children = 0;
  std::optional<int32_t> field_id;
  LeafMeaning meaning;
  std::string raw;  ///< The whole structure as it was encoded, with what this does not know.
};

struct PageEncodingStats {
  int32_t page_type = 0;
  ParquetEncoding encoding = ParquetEncoding::kPlain;
  int32_t count = 0;
};

/// Least and greatest value in PLAIN encoding, without length prefix.
struct ChunkStatistics {
  std::optional<int64_t> null_count;
  std::optional<std::string> min_value;
  std::optional<std::string> max_value;
  std::optional<bool> is_min_exact;  ///< False: only a bound. Empty: not told.
  std::optional<bool> is_max_exact;
};

struct ColumnChunk {
  PhysicalType type = PhysicalType::kBoolean;
  std::vector<ParquetEncoding> encodings;
  std::vector<std::string> path_in_schema;
  ParquetCodec codec = ParquetCodec::kUncompressed;
  int64_t num_values = 0;
  int64_t total_uncompressed_size = 0;
  int64_t total_compressed_size = 0;
  int64_t data_page_offset = 0;
  std::optional<int64_t> dictionary_page_offset;
  ChunkStatistics statistics;
  std::vector<PageEncodingStats> encoding_stats;
  bool is_elsewhere = false;  ///< In another file, or encrypted.
  std::optional<ByteRange> column_index;
  std::optional<ByteRange> offset_index;
  std::optional<ByteRange> bloom_filter;  ///< Only written: it is not read.

  int64_t start_offset() const;
};

struct RowGroup {
  std::vector<ColumnChunk> columns;
  int64_t total_byte_size = 0;
  int64_t num_rows = 0;
};

struct FileFooter {
  int32_t version = 0;
  std::vector<SchemaElement> schema;
  int64_t num_rows = 0;
  std::vector<RowGroup> row_groups;
  std::vector<std::pair<std::string, std::optional<std::string>>> key_value_metadata;
  std::string created_by;
  bool has_column_orders = false;  ///< All minima and maxima are in the order of their type.
};

/// A leaf and the way to it.
struct LeafNode {
  SchemaElement element;
  std::vector<std::string> path;
  std::vector<FieldRepetition> repetitions;  ///< From the top-level column down to the leaf.
  int max_definition_level = 0;
  int max_repetition_level = 0;
};

/// The leaves of a schema in the order of column chunks. Errors: kCorrupt.
Result<std::vector<LeafNode>> LeavesOf(const std::vector<SchemaElement>& schema);

/// Parse the Thrift structure of a footer. Sizes, offsets and counts are not negative, and each row
/// group has one chunk for each leaf. Errors: kCorrupt, naming what is wrong; kUnsupported: the
/// footer is encrypted.
Result<FileFooter> ParseFooter(std::span<const std::byte> bytes);

/// The Thrift structure of `footer`.
std::string FormatFooter(const FileFooter& footer);

/// Find and parse the footer in the bytes of a whole file. Errors: as above.
Result<FileFooter> ReadFooter(std::span<const std::byte> file);

/// The same in the last bytes of a file of `size` bytes.
/// Errors: as above; kInvalidInput: the footer begins before `tail`.
Result<FileFooter> ReadFooter(std::span<const std::byte> tail, int64_t size);

/// The bytes of the footer in the last bytes of a file of `size` bytes, whose checksum is right or
/// which, without one, can be parsed. Errors: those of ReadFooter.
Result<std::span<const std::byte>> FindCheckedFooter(std::span<const std::byte> tail, int64_t size);

/// Memory that a footer takes when it is parsed, for each of its bytes: names, paths and statistics
/// of every column chunk become objects.
constexpr int64_t kFooterMemoryFactor = 10;

/// Larger footers are not read.
constexpr int64_t kReadFooterBytesMax = int64_t{32} << 20;

/// The last bytes of a file of `size` bytes, from the begin of its footer on, in one read unless
/// the footer is large. Errors: as above, also where it has more than `footer_bytes_max` bytes;
/// those of the file.
Result<Buffer> ReadTail(InputFile& file, int64_t size,
                        int64_t footer_bytes_max = kReadFooterBytesMax);

}  // namespace firn
