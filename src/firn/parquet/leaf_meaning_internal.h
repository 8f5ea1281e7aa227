#pragma once

#include "firn/parquet/footer.h"
#include "firn/parquet/thrift_compact_internal.h"

namespace firn {

/// The meaning that a LogicalType has, of which the struct field was just read.
LeafMeaning ReadLogicalType(ThriftReader& in);

/// The meaning of a ConvertedType; `scale` is that of the schema element.
LeafMeaning MeaningOfConverted(int32_t converted, int32_t scale);

}  // namespace firn
