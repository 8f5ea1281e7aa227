#include <algorithm>
#include <optional>
#include <utility>

#include "firn/expression/column_facts_internal.h"
#include "firn/expression/expression.h"

// Predicates against the column metrics of a data file or a row group.

namespace firn {
namespace {

std::optional<int64_t> FindNumber(const FieldMap<int64_t>& counts, int32_t field_id) {
  const int64_t* count = FindInFieldMap(counts, field_id);
  if (count == nullptr || *count < 0) return std::nullopt;
  return *count;
}

// Read a bound; `is_broken` if there is one that makes no sense.
struct ReadBound {
  Value value;
  bool is_broken = false;
};

ReadBound FindBound(const FieldMap<std::string>& bounds, int32_t field_id, const Type& type) {
  const std::string* bytes = FindInFieldMap(bounds, field_id);
  if (bytes == nullptr || !type.is_primitive()) return {};
  Value value = FromBoundBytes(AsBytes(*bytes), type);
  const bool is_broken = value.is_null();
  return {std::move(value), is_broken};
}

ColumnFacts FactsOf(const Term& term, const FileMetrics& metrics) {
  const Type& type = *term.source_type;
  const int32_t id = term.field_id;
  const auto values = FindNumber(metrics.value_counts, id);
  const auto nulls = FindNumber(metrics.null_value_counts, id);
  const auto nans = FindNumber(metrics.nan_value_counts, id);
  const bool has_values = values && *values > 0;
  ColumnFacts facts;
  facts.has_no_null = nulls && *nulls == 0;
  facts.is_all_null = has_values && nulls && *nulls == *values;
  facts.has_no_nan = !type.is_float() || facts.is_all_null || (nans && *nans == 0);
  facts.is_all_nan = type.is_float() && has_values && nans && *nans == *values;
  facts.has_no_value =
      facts.is_all_null || facts.is_all_nan ||
      (type.is_float() && has_values && nulls && nans && *nulls + *nans == *values);
  facts.has_nan_count = !type.is_float() || nans;
  facts.has_exact_order = type.id() != TypeId::kUuid;
  ReadBound lower = FindBound(metrics.lower_bounds, id, type);
  ReadBound upper = FindBound(metrics.upper_bounds, id, type);
  if (!lower.is_broken && !upper.is_broken) {  // A writer of one broken bound is not believed.
    facts.lower = std::move(lower.value);
    facts.upper = std::move(upper.value);
    DropBrokenBounds(facts);
  }
  return TransformFacts(std::move(facts), term);
}

bool MightMatchPredicate(const Expression& predicate, const Schema& schema,
                         const FileMetrics& metrics) {
  ColumnFacts facts = FactsOf(predicate.term(), metrics);
  // Writers disagree on what they count where a parent is null.
  if (schema.ParentId(predicate.term().field_id)) facts.has_no_null = false;
  return CanMatch(predicate, facts);
}

bool MightMatch(const Expression& expression, const Schema& schema, const FileMetrics& metrics) {
  if (expression.is_predicate()) return MightMatchPredicate(expression, schema, metrics);
  const auto test = [&](const ExpressionPtr& child) { return MightMatch(*child, schema, metrics); };
  const auto& children = expression.children();
  if (expression.kind() == ExpressionKind::kAnd) {
    return std::all_of(children.begin(), children.end(), test);
  }
  if (expression.kind() == ExpressionKind::kOr) {
    return std::any_of(children.begin(), children.end(), test);
  }
  return expression.kind() != ExpressionKind::kFalse;
}

bool AllMatch(const Expression& expression, const Schema& schema, const FileMetrics& metrics) {
  if (expression.is_predicate()) {
    return !schema.ParentId(expression.term().field_id) &&
           MustMatch(expression, FactsOf(expression.term(), metrics));
  }
  const auto test = [&](const ExpressionPtr& child) { return AllMatch(*child, schema, metrics); };
  const auto& children = expression.children();
  if (expression.kind() == ExpressionKind::kAnd) {
    return std::all_of(children.begin(), children.end(), test);
  }
  if (expression.kind() == ExpressionKind::kOr) {
    return std::any_of(children.begin(), children.end(), test);
  }
  return expression.kind() == ExpressionKind::kTrue;
}

const FileMetrics& MetricsOf(const ColumnMetrics& metrics) {
  static const FileMetrics kNothingKnown;
  return metrics.metrics == nullptr ? kNothingKnown : *metrics.metrics;
}

}  // namespace

bool MightMatchMetrics(const Expression& bound, const Schema& schema,
                       const ColumnMetrics& metrics) {
  return metrics.record_count != 0 && MightMatch(bound, schema, MetricsOf(metrics));
}

bool AllMatchMetrics(const Expression& bound, const Schema& schema, const ColumnMetrics& metrics) {
  return metrics.record_count == 0 || AllMatch(bound, schema, MetricsOf(metrics));
}

}  // namespace firn
