#include <algorithm>
#include <utility>

#include "firn/expression/column_facts_internal.h"
#include "firn/expression/expression.h"

// Projected predicates against the partition summaries of a manifest.

namespace firn {
namespace {

ColumnFacts FactsOf(const Term& term, const FieldSummary& summary) {
  const Type& type = *term.source_type;
  ColumnFacts facts;
  facts.has_no_null = !summary.contains_null;
  facts.has_no_nan = !type.is_float() || (summary.contains_nan && !*summary.contains_nan);
  facts.has_nan_count = !type.is_float() || summary.contains_nan;
  facts.has_exact_order = type.id() != TypeId::kUuid;
  if (!summary.lower_bound && !summary.upper_bound) {
    // No bounds: all are null or NaN, if the summary says that it has such at all.
    const bool may_have_nan = type.is_float() && summary.contains_nan.value_or(true);
    facts.has_no_value = summary.contains_null || may_have_nan;
    facts.is_all_null = summary.contains_null && !may_have_nan;
    return TransformFacts(std::move(facts), term);
  }
  const auto read = [&](const std::optional<std::string>& bytes) {
    return bytes ? FromBoundBytes(AsBytes(*bytes), type) : Value();
  };
  facts.lower = read(summary.lower_bound);
  facts.upper = read(summary.upper_bound);
  const bool is_broken = (summary.lower_bound && facts.lower.is_null()) ||
                         (summary.upper_bound && facts.upper.is_null());
  if (is_broken) facts.lower = facts.upper = Value();
  DropBrokenBounds(facts);
  return TransformFacts(std::move(facts), term);
}

struct Summaries {
  const PartitionSpec& spec;
  const std::vector<FieldSummary>& fields;
};

bool MightMatchPredicate(const Expression& predicate, const Summaries& summaries) {
  for (size_t i = 0; i < summaries.spec.fields.size() && i < summaries.fields.size(); ++i) {
    if (summaries.spec.fields[i].field_id != predicate.term().field_id) continue;
    return CanMatch(predicate, FactsOf(predicate.term(), summaries.fields[i]));
  }
  return true;
}

bool MightMatch(const Expression& expression, const Summaries& summaries) {
  if (expression.is_predicate()) return MightMatchPredicate(expression, summaries);
  const auto test = [&](const ExpressionPtr& child) { return MightMatch(*child, summaries); };
  const auto& children = expression.children();
  if (expression.kind() == ExpressionKind::kAnd) {
    return std::all_of(children.begin(), children.end(), test);
  }
  if (expression.kind() == ExpressionKind::kOr) {
    return std::any_of(children.begin(), children.end(), test);
  }
  return expression.kind() != ExpressionKind::kFalse;
}

}  // namespace

bool MightMatchManifest(const Expression& projected, const PartitionSpec& spec, const Type&,
                        const ManifestFile& manifest) {
  if (projected.kind() == ExpressionKind::kFalse) return false;
  if (!manifest.partitions) return true;
  return MightMatch(projected, {spec, *manifest.partitions});
}

}  // namespace firn
