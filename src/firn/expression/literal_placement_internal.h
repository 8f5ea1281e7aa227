#pragma once

#include <string_view>

#include "firn/expression/expression.h"

/// Where a literal lies among the values of a column's type. For this module only.

namespace firn {

enum class Place {
  kExact,     ///< It is `value`.
  kBetween,   ///< It lies above `value` and below the next value of the type.
  kBelowAll,  ///< It lies below every value of the type.
  kAboveAll,
  kNan,
  kNull,
};

struct PlacedLiteral {
  Place place = Place::kNull;
  Value value;
};

/// Place `literal` among the values of the primitive `type`. Errors: kInvalidInput: a literal of
/// this kind does not compare with the type, or its text is none; `term` is named in messages.
Result<PlacedLiteral> PlaceLiteral(const Literal& literal, const Type& type, std::string_view term);

/// Place a literal among the values of a time transform: a number is the ordinal (years, months,
/// days or hours since 1970), text is the readable form ("2026-01-31-10"), dates and timestamps
/// compare with days. The value is an int64_t.
Result<PlacedLiteral> PlaceOrdinal(const Literal& literal, const Transform& transform,
                                   std::string_view term);

/// The first value of `source` (a date or timestamp) whose `transform` (a time transform) is not
/// below `ordinal`: kExact, kBelowAll or kAboveAll.
PlacedLiteral PlaceOrdinalStart(int64_t ordinal, const Transform& transform, const Type& source);

}  // namespace firn
