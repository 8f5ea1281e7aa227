#pragma once

#include <arrow/adapters/orc/options.h>

#include "firn/data/formats/data_file_encoder_internal.h"
#include "firn/data/formats/write_properties_internal.h"

namespace firn {

/// `write.orc.*` of a table.
struct OrcWriteOptions {
  arrow::Compression::type codec = arrow::Compression::GZIP;  ///< ORC's zlib.
  bool is_for_size = false;                                   ///< Compresses more slowly.
  int64_t stripe_bytes = 67108864;  ///< Before compression: all of it is held in memory.
};

/// Errors: kInvalidInput, naming the property.
Result<OrcWriteOptions> OrcOptionsFrom(const WriteProperties& properties);

/// ORC with the types and attributes of the spec (`iceberg.id`, `iceberg.required`, ..) through
/// Arrow's adapter. Its memory comes from the system, about a stripe before compression, whatever
/// the pool. Errors: kUnsupported, naming a column that cannot be written.
Result<std::unique_ptr<DataFileEncoder>> MakeOrcEncoder(const EncodeContext& context,
                                                        const OrcWriteOptions& options);

}  // namespace firn
