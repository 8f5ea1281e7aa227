#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/data/orc/orc_decompressor_internal.h"
#include "firn/io/io.h"

/// What an ORC file tells of itself: types and stripes at its end, streams at the end of each
/// stripe. All places in the file and all ids of columns are checked here, once.

namespace firn {

/// `Type.Kind` of the format; the values are those of the file.
enum class OrcKind {
  kBoolean,
  kByte,
  kShort,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kString,
  kBinary,
  kTimestamp,
  kList,
  kMap,
  kStruct,
  kUnion,
  kDecimal,
  kDate,
  kVarchar,
  kChar,
  kTimestampInstant,
  kGeometry,
  kGeography,
};

/// One node of the tree of types, which are numbered depth first; 0 is the row, a struct.
struct OrcType {
  OrcKind kind = OrcKind::kStruct;
  std::vector<size_t> children;    ///< Struct: fields. List: one. Map: key, value.
  std::vector<std::string> names;  ///< Of the fields of a struct.
  int precision = 0;               ///< Of decimals; 1 to 38.
  int scale = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
};

struct OrcStripe {
  int64_t offset = 0;
  int64_t index_bytes = 0;
  int64_t data_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t row_count = 0;
};

struct OrcTail {
  OrcCodec codec = OrcCodec::kNone;
  int64_t chunk_bytes_max = 0;      ///< Decompressed.
  bool has_short_decimals = false;  ///< Decimals of 18 digits are numbers of a common scale.
  /// The writer is known to write nothing behind the last value of a stream, and no gaps.
  bool is_tight = false;
  std::vector<OrcType> types;
  std::vector<OrcStripe> stripes;
  int64_t row_count = 0;
};

/// Read the postscript and the footer of `file`. Errors: kCorrupt; kUnsupported;
/// kResourceExhausted; those of the file.
Result<OrcTail> ReadOrcTail(InputFile& file, arrow::MemoryPool* pool);

/// `Stream.Kind` of the format, of those that values are read from.
enum class OrcStreamKind {
  kPresent,
  kData,
  kLength,
  kDictionaryData,
  kDictionaryCount,
  kSecondary
};

struct OrcStream {
  OrcStreamKind kind = OrcStreamKind::kData;
  size_t column = 0;
  int64_t offset = 0;  ///< In the file.
  int64_t length = 0;
};

/// `ColumnEncoding.Kind` of the format; the values are those of the file.
enum class OrcEncodingKind { kDirect, kDictionary, kDirectV2, kDictionaryV2 };

struct OrcEncoding {
  OrcEncodingKind kind = OrcEncodingKind::kDirect;
  int64_t dictionary_size = 0;
};

struct OrcStripeFooter {
  std::vector<OrcStream> streams;      ///< By column and kind, of which no two are the same.
  std::vector<OrcEncoding> encodings;  ///< One for each type.
  std::string time_zone;               ///< Of the writer; empty if unknown.
};

/// Errors: as for ReadOrcTail.
Result<OrcStripeFooter> ReadOrcStripeFooter(InputFile& file, const OrcTail& tail,
                                            const OrcStripe& stripe, arrow::MemoryPool* pool);

}  // namespace firn
