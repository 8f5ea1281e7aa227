#pragma once

#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/ingest/json/json_records_internal.h"
#include "firn/ingest/json/json_values_internal.h"
#include "firn/ingest/text/text_rows_internal.h"

namespace firn {

/// How the rows of one JSON file become those of the table. Immutable; shared by parallel jobs.
struct JsonFileLayout {
  std::string uri;
  SchemaPtr schema;                 ///< Of the table.
  JsonFieldNames names;             ///< Keys of the file, and the fields of the schema.
  std::vector<JsonTarget> targets;  ///< Of all fields.
  std::vector<Value> defaults;      ///< For each field, what takes the place of a missing key.
};

/// Convert a block. A row is in the batch only if all of it is good. `with_text`: keep the text of
/// those that are not. Errors: those of memory.
Result<TextRows> ConvertJsonBlock(const JsonFileLayout& layout, const JsonBlock& block,
                                  bool with_text, arrow::MemoryPool* pool);

}  // namespace firn
