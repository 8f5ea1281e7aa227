#pragma once

#include <functional>

#include "firn/format/json/json_reader.h"
#include "firn/format/json/json_writer.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/types/type.h"

/// Data and delete files as JSON, the content files of the REST catalog's scan planning.

namespace firn {

/// An object. `partition_type` is that of the file's partition spec. Text that is not UTF-8 makes
/// `json.is_lossless()` false.
void WriteContentFileJson(JsonWriter& json, const DataFile& file, const Type& partition_type);

/// Partition spec of a file and the type of its partition. Null: unknown.
using FindPartitionType = std::function<TypePtr(int32_t spec_id)>;

/// Errors: kCorrupt, with path, what was found and what was expected; an unknown partition spec.
Result<DataFile> ReadContentFileJson(JsonValue& json, const FindPartitionType& find_type);

}  // namespace firn
