#pragma once

#include <cstdint>

#include "firn/parquet/footer.h"
#include "firn/parquet/thrift_compact_internal.h"

namespace firn {

/// The meaning of a number of Parquet's ConvertedType.
LeafMeaning::Kind KindOfConverted(int32_t converted);

/// Read a LogicalType union. The caller's reader stands at its first field.
LeafMeaning::Kind ReadLogicalKind(ThriftReader& in);

}  // namespace firn
