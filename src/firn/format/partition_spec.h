#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firn/format/extra_fields.h"
#include "firn/format/schema.h"
#include "firn/format/transform.h"

namespace firn {

struct PartitionField {
  std::vector<int32_t> source_ids;  ///< One, but for the multi-argument transforms of v3.
  int32_t field_id = 0;
  std::string name;
  Transform transform;
  ExtraFields extra;

  int32_t source_id() const { return source_ids.empty() ? 0 : source_ids.front(); }
  bool operator==(const PartitionField&) const = default;
};

struct PartitionSpec {
  int32_t spec_id = 0;
  std::vector<PartitionField> fields;
  ExtraFields extra;

  /// No field, or void fields only.
  bool is_unpartitioned() const;
  bool operator==(const PartitionSpec&) const = default;
};

using PartitionSpecPtr = std::shared_ptr<const PartitionSpec>;

/// The struct of partition values of `spec`: field ids and names of the spec, all optional. The
/// source column is looked for in `schemas` in order (the current one first), since an old spec may
/// name a dropped column; if none has it, the type is string for unknown and a guess by transform
/// otherwise (int for bucket and time, date for day).
TypePtr PartitionType(const PartitionSpec& spec, const std::vector<SchemaPtr>& schemas);

/// "a=1/b=x%2Fy": escaped as Java does. `values` are in the order of the spec.
std::string PartitionPath(const PartitionSpec& spec, const Type& partition_type,
                          const StructValue& values);

/// Struct of all fields of all specs by ascending field id (`_partition`, partition statistics).
TypePtr UnifiedPartitionType(const std::vector<PartitionSpecPtr>& specs,
                             const std::vector<SchemaPtr>& schemas);

/// Partition values of `spec` as a row of the unified type; fields it lacks are null.
StructValue ToUnifiedPartition(const PartitionSpec& spec, const StructValue& values,
                               const Type& unified_type);

/// Errors: kCorrupt, naming the field: sources missing or not allowed, names not unique.
Status ValidatePartitionSpec(const PartitionSpec& spec, const Schema& schema);

}  // namespace firn
