#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "firn/format/avro/avro_cursor.h"
#include "firn/format/avro/avro_schema.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value.h"

/// Values of primitive Iceberg types in Avro binary, with the promotions of the spec and the
/// spellings of other writers.

namespace firn {

/// How the bytes of an Avro type become a value of an Iceberg type.
struct AvroConversion {
  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kInt,           ///< int, date
    kLong,          ///< long, time, timestamps; times `factor`
    kFloat,         ///< float
    kWidenedFloat,  ///< Stored as float, wanted as double.
    kDouble,
    kString,
    kBinary,       ///< From bytes or a fixed of `size`.
    kUuid,         ///< From a fixed of 16 bytes.
    kUuidText,     ///< From its text.
    kDecimal,      ///< Unscaled big-endian, from bytes or a fixed of `size`.
    kIntegerText,  ///< An integer whose wanted type is string: a guess for a lost column.
    kBytesText,    ///< Likewise for bytes or a fixed of `size`.
    kOtherText,    ///< Likewise for booleans and floating point numbers: see `node`.
  };
  Kind kind = Kind::kNull;
  int64_t factor = 1;
  int64_t size = -1;  ///< Bytes of a fixed; -1: a length comes first.
  const AvroNode* node = nullptr;
};

/// How to read `node` (no union) as the primitive `type`. Errors: kCorrupt if that makes no sense;
/// `where` names file and field.
Result<AvroConversion> ResolveAvroValue(const AvroNode& node, const Type& type,
                                        std::string_view where);

/// Read one value. A value that does not fit makes the cursor fail.
Value ReadAvroValue(AvroCursor& cursor, const AvroConversion& conversion);

/// Append a long, int, date, ... as zigzag varint.
void AppendAvroLong(std::string& out, int64_t value);
void AppendAvroFloat(std::string& out, float value);
void AppendAvroDouble(std::string& out, double value);
/// Append text or bytes after their length.
void AppendAvroBytes(std::string& out, std::string_view bytes);

/// Append `value` of the primitive `type` as `ToAvroSchema` declares it, without a union branch.
/// Errors: kInvalidInput if the value is not of the type or does not fit (null only fits unknown);
/// kUnsupported for nested types and variants.
Status AppendAvroValue(std::string& out, const Value& value, const Type& type);

}  // namespace firn
