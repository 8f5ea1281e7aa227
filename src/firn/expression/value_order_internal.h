#pragma once

#include <compare>

#include "firn/expression/expression.h"

/// How values compare in filters. For this module only.

namespace firn {

/// SQL order of two non-null values of one primitive type: as `CompareValues`, but the two zeros of
/// floats are equal and every NaN is equal to every other and above all else. An int compares with
/// a long, and a float with a double, by number.
std::strong_ordering CompareForFilter(const Value& a, const Value& b);

bool IsNan(const Value& value);

/// Does `value` (not null) satisfy the comparison `kind` (kLess to kNotEqual) with `literal`?
bool SatisfiesComparison(ExpressionKind kind, const Value& value, const Value& literal);

/// Is `value` among `sorted`, the literals of a bound IN?
bool ContainsValue(const std::vector<Literal>& sorted, const Value& value);

/// Sort and make unique, as `ContainsValue` needs it.
void SortLiterals(std::vector<Literal>& literals);

/// Bytes of a string, fixed or binary value; empty for others.
std::string_view ByteView(const Value& value);

}  // namespace firn
