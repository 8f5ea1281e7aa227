#pragma once

#include <map>
#include <memory>
#include <optional>

#include "firn/expression/expression.h"
#include "firn/format/metadata/table_metadata.h"

/// A filter as it looks to the partitions of each spec. For this module only.

namespace firn {

/// What is computed once for each partition spec of a table.
struct SpecPlan {
  PartitionSpecPtr spec;
  TypePtr partition_type;
  ExpressionPtr projected;                     ///< Inclusive.
  std::optional<RowMatcher> matcher;           ///< Of `projected`; empty: all partitions match.
  std::optional<ResidualEvaluator> residuals;  ///< Empty: the filter is constant.
  bool is_unpartitioned = false;

  bool Matches(const StructValue& partition) const {
    return !matcher || matcher->Matches(partition);
  }
};

/// By spec id; immutable.
class SpecPlans {
 public:
  /// For all specs of `metadata`. `bound` is the filter, bound to the schema that is read.
  static Result<SpecPlans> Make(const TableMetadata& metadata, const ExpressionPtr& bound);

  /// Errors: kCorrupt: the table has no such spec; the message names the manifest.
  Result<const SpecPlan*> Find(const ManifestFile& manifest) const;

 private:
  std::map<int32_t, SpecPlan> plans_;
};

}  // namespace firn
