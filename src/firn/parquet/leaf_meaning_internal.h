#pragma once

#include "firn/parquet/footer.h"
#include "firn/parquet/thrift_compact_internal.h"

namespace firn {

/// The meaning that a LogicalType has, of which the struct field was just read.
LeafMeaning ReadLogicalType(ThriftReader& in);

/// The meaning of a ConvertedType; `scale` and `precision` are those of the schema element.
LeafMeaning MeaningOfConverted(int32_t converted, int32_t scale, int32_t precision);

/// True if the two meanings of one leaf would make other values of the same bytes: times in other
/// units, decimals of another scale, numbers with and without sign. What only one of them tells,
/// and whether times are instants, is no contradiction.
bool AreContradictory(const LeafMeaning& logical, const LeafMeaning& converted);

}  // namespace firn
