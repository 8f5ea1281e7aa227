#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firn/format/json/extra_fields.h"
#include "firn/format/layout/transform.h"
#include "firn/format/schema/schema.h"

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
/// name a dropped column; if none has it, the type of identity, truncate and void is unknown.
TypePtr PartitionType(const PartitionSpec& spec, const std::vector<SchemaPtr>& schemas);

/// "a=1/b=x%2Fy": escaped as Java does. `values` are in the order of the spec.
std::string PartitionPath(const PartitionSpec& spec, const Type& partition_type,
                          const StructValue& values);

/// Struct of all fields of all specs by ascending field id (`_partition`, partition statistics).
/// Newer specs name a field; a name that a newer field has already gets "_<field id>" behind it.
TypePtr UnifiedPartitionType(const std::vector<PartitionSpecPtr>& specs,
                             const std::vector<SchemaPtr>& schemas);

/// Partition values of `spec` as a row of the unified type; fields it lacks are null, and so are
/// values that do not fit because specs give one field id two meanings.
StructValue ToUnifiedPartition(const PartitionSpec& spec, const StructValue& values,
                               const Type& unified_type);

/// Errors: kCorrupt, naming the field: sources missing or not allowed, names or ids not unique.
Status ValidatePartitionSpec(const PartitionSpec& spec, const Schema& schema);

/// What a spec must keep beyond that when it is made: known transforms, no field named like another
/// column, one field per source and transform, one time transform per source.
/// Errors: kInvalidInput, naming the fields.
Status ValidateNewPartitionSpec(const PartitionSpec& spec, const Schema& schema);

}  // namespace firn
