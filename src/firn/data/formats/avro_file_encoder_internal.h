#pragma once

#include "firn/data/formats/data_file_encoder_internal.h"
#include "firn/data/formats/write_properties_internal.h"
#include "firn/format/avro/avro_codec.h"

namespace firn {

/// `write.avro.*` of a table.
struct AvroWriteOptions {
  AvroCodec codec = AvroCodec::kDeflate;
};

/// Errors: kInvalidInput, naming the property.
Result<AvroWriteOptions> AvroOptionsFrom(const WriteProperties& properties);

/// Avro with the types of the spec, field ids and, in the key `iceberg.schema`, the schema's JSON.
/// Errors: those of the sink; kUnsupported, naming a column that cannot be written.
Result<std::unique_ptr<DataFileEncoder>> MakeAvroEncoder(const EncodeContext& context,
                                                         const AvroWriteOptions& options);

}  // namespace firn
