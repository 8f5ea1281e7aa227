#pragma once

#include <vector>

#include "firn/base/result.h"
#include "firn/format/manifest/manifest.h"

namespace firn {

/// Collects the partition summaries of a manifest: flags and bounds of each partition field over
/// all entries, DELETED ones included as in Java.
class PartitionSummary {
 public:
  /// `partition_type` must outlive it.
  explicit PartitionSummary(const Type& partition_type);

  /// `values` are as many as the type has fields.
  void Add(const StructValue& values);
  /// Errors: kInvalidInput if a value is not of its field's type.
  Result<std::vector<FieldSummary>> Finish() const;

 private:
  struct Field {
    bool contains_null = false;
    bool contains_nan = false;
    Value lower;  // Null: none.
    Value upper;
  };
  const Type& partition_type_;
  std::vector<Field> fields_;
};

}  // namespace firn
