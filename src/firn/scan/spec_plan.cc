#include <utility>

#include "firn/scan/spec_plan_internal.h"

namespace firn {

Result<SpecPlans> SpecPlans::Make(const TableMetadata& metadata, const ExpressionPtr& bound) {
  SpecPlans plans;
  const std::vector<SchemaPtr> schemas = metadata.SchemasNewestFirst();
  const bool is_constant =
      bound->kind() == ExpressionKind::kTrue || bound->kind() == ExpressionKind::kFalse;
  for (const PartitionSpecPtr& spec : metadata.partition_specs) {
    SpecPlan plan{.spec = spec,
                  .partition_type = PartitionType(*spec, schemas),
                  .is_unpartitioned = spec->is_unpartitioned()};
    FIRN_ASSIGN(plan.projected, ProjectInclusive(bound, *spec, *plan.partition_type));
    if (plan.projected->kind() != ExpressionKind::kTrue) {
      plan.matcher.emplace(plan.projected, *plan.partition_type);
    }
    if (!is_constant) {
      FIRN_ASSIGN(plan.residuals, ResidualEvaluator::Make(bound, *spec, *plan.partition_type));
    }
    plans.plans_.emplace(spec->spec_id, std::move(plan));
  }
  return plans;
}

Result<const SpecPlan*> SpecPlans::Find(const ManifestFile& manifest) const {
  const auto found = plans_.find(manifest.partition_spec_id);
  if (found == plans_.end()) {
    return MakeError(ErrorCode::kCorrupt,
                     "manifest '{}' has partition spec {}, which the table does not know",
                     manifest.manifest_path, manifest.partition_spec_id);
  }
  return &found->second;
}

}  // namespace firn
