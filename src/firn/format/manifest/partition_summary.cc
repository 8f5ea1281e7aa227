#include <cmath>

#include "firn/format/manifest/partition_summary_internal.h"

namespace firn {
namespace {

bool IsNan(const Value& value) {
  if (const float* number = value.get_if<float>()) return std::isnan(*number);
  if (const double* number = value.get_if<double>()) return std::isnan(*number);
  return false;
}

}  // namespace

PartitionSummary::PartitionSummary(const Type& partition_type)
    : partition_type_(partition_type), fields_(partition_type.fields().size()) {}

void PartitionSummary::Add(const StructValue& values) {
  for (size_t i = 0; i < fields_.size(); ++i) {
    Field& field = fields_[i];
    const Value& value = values.fields[i];
    if (value.is_null()) {
      field.contains_null = true;
    } else if (IsNan(value)) {
      field.contains_nan = true;
    } else {
      if (field.lower.is_null() || CompareValues(value, field.lower) < 0) field.lower = value;
      if (field.upper.is_null() || CompareValues(value, field.upper) > 0) field.upper = value;
    }
  }
}

Result<std::vector<FieldSummary>> PartitionSummary::Finish() const {
  std::vector<FieldSummary> summaries;
  for (size_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    FieldSummary& summary = summaries.emplace_back();
    summary.contains_null = field.contains_null;
    summary.contains_nan = field.contains_nan;
    if (field.lower.is_null()) continue;
    const Type& type = *partition_type_.fields()[i].type;
    FIRN_ASSIGN(summary.lower_bound, ToBoundBytes(field.lower, type));
    FIRN_ASSIGN(summary.upper_bound, ToBoundBytes(field.upper, type));
  }
  return summaries;
}

}  // namespace firn
