#pragma once

#include "firn/expression/expression.h"

/// What is known of the values of one term in a set of rows, from whatever source, and what follows
/// for a predicate. For this module only.

namespace firn {

/// Every claim is certain; what is not known is false or null.
struct ColumnFacts {
  bool has_no_null = false;
  bool is_all_null = false;
  bool has_no_nan = false;      ///< True for every type but floats.
  bool is_all_nan = false;      ///< And no null.
  bool has_no_value = false;    ///< All are null or NaN.
  bool has_nan_count = false;   ///< The writer counted NaN, so its bounds leave them out.
  bool has_exact_order = true;  ///< False (uuid): the bounds may be of either of two orders.
  Value lower;  ///< No value that is neither null nor NaN lies below; null: not known.
  Value upper;
};

/// Drop bounds that contradict themselves: NaN, or lower above upper.
void DropBrokenBounds(ColumnFacts& facts);

/// The facts of the transformed values, from those of a column.
ColumnFacts TransformFacts(ColumnFacts facts, const Term& term);

/// Can the bound `predicate` be true for a row? False only if certain.
bool CanMatch(const Expression& predicate, const ColumnFacts& facts);

/// Is the bound `predicate` true for all rows? True only if certain.
bool MustMatch(const Expression& predicate, const ColumnFacts& facts);

}  // namespace firn
