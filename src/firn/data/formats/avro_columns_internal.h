#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/data/columns/file_schema_internal.h"
#include "firn/format/avro/avro_cursor.h"
#include "firn/format/avro/avro_schema.h"

/// Avro values as Arrow columns.

namespace firn {

/// The columns of a file whose records have the schema `record`, with their ids and the Arrow types
/// that they are decoded to. Errors: kCorrupt, kUnsupported, naming the column.
Result<std::vector<FileField>> AvroFileFields(const AvroNode& record);

/// Decodes the values of one field, record by record, into an Arrow builder.
class AvroColumn {
 public:
  /// `node` and `builder` (of the type that AvroFileFields tells) outlive the column.
  AvroColumn(const AvroNode& node, arrow::ArrayBuilder& builder);

  /// Read one value. What the cursor finds wrong shows in the cursor. Errors: kCorrupt: a value
  /// that Avro allows and its type does not; kResourceExhausted.
  Status Decode(AvroCursor& cursor);

 private:
  Status DecodeValue(AvroCursor& cursor);
  Status DecodeItems(AvroCursor& cursor);
  Status DecodeDecimal(std::string_view bytes);

  const AvroNode* node_ = nullptr;  // Without the option around it; null for the type null.
  int null_branch_ = -1;
  int branch_count_ = 0;
  arrow::ArrayBuilder& builder_;
  std::vector<AvroColumn> children_;  // Record: fields. Array: items. Map: value.
};

}  // namespace firn
