#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "firn/base/int128.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value.h"

/// Values as `firn read` and `firn inspect` print them, the same whether they come from metadata
/// or from data files:
///
///   integers and floats numbers; "NaN", "Infinity", "-Infinity" · decimal text with its scale
///   date 2026-01-31 · time 10:00:00.123456 · timestamp 2026-01-31T10:00:00.123456, with +00:00 if
///   it has a zone, nine digits for nanoseconds · uuid text · fixed, binary, geometry, geography,
///   variant lower-case hexadecimal · struct object · list array · map array of {"key","value"}

namespace firn {

/// Append `value` as JSON. A row is a struct: {"id":1,"name":"a"}.
void AppendRowJson(std::string& out, const Value& value, const Type& type);

/// Append a row (a struct) as a line of CSV without the line end: null is empty, empty text is "",
/// nested values are JSON.
void AppendRowCsv(std::string& out, const Value& row, const Type& type);

/// Append one value as a cell of CSV, quoted if need be.
void AppendCsvCell(std::string& out, const Value& value, const Type& type);

/// Append the text that a cell holds, in quotes if a reader would take it for something else.
void AppendCsvText(std::string& out, std::string_view text);

// Scalars. Texts come without quotes, which JSON needs around all of them but numbers.

/// The shortest text that reads back as the same float, with a point or an exponent: 1.0, 1e+20,
/// -0.0. NaN and the infinities: quoted words.
void AppendJsonNumber(std::string& out, float value);
void AppendJsonNumber(std::string& out, double value);
void AppendDate(std::string& out, int32_t days);
void AppendTime(std::string& out, int64_t micros);
void AppendTimestampMicros(std::string& out, int64_t micros, bool has_zone);
void AppendTimestampNanos(std::string& out, int64_t nanos, bool has_zone);
void AppendDecimal(std::string& out, Int128 unscaled, int32_t scale);
void AppendUuid(std::string& out, const UuidBytes& uuid);
void AppendHex(std::string& out, std::span<const std::byte> bytes);

}  // namespace firn
