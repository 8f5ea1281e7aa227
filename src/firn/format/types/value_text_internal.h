#pragma once

#include <cstdint>
#include <string>

#include "firn/base/civil_time.h"
#include "firn/format/types/type.h"

// Pieces of text that the forms of values share.

namespace firn {

/// Nanoseconds for the _ns types, else microseconds.
TimeUnit UnitOf(const Type& type);

/// "2026-01-31T10:00:00.5+00:00": without the zeros at the end of the fraction, with the zone if
/// the type has one.
std::string FormatTimestampTrimmed(int64_t value, const Type& type);

/// Java's notation: "1.0", "1.0E10", "NaN", "-Infinity".
std::string FormatFloatAsJava(float value);
std::string FormatFloatAsJava(double value);

}  // namespace firn
