#include <utility>

#include <arrow/array.h>

#include "firn/data/columns/leaf_column_internal.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/read/row_filter_internal.h"

namespace firn {

Result<RowFilter> RowFilter::Make(ExpressionPtr bound, std::vector<NestedField> fields) {
  RowFilter filter(std::move(bound), std::move(fields));
  FIRN_ASSIGN(filter.root_, filter.MakeNode(filter.bound_));
  return filter;
}

Result<RowFilter::Node> RowFilter::MakeNode(const ExpressionPtr& expression) {
  Node node{.expression = expression.get()};
  for (const ExpressionPtr& child : expression->children()) {
    FIRN_ASSIGN(Node child_node, MakeNode(child));
    node.children.push_back(std::move(child_node));
  }
  if (!expression->is_predicate()) return node;
  const Term& term = expression->term();
  node.places = FindFieldPlaces(fields_, term.field_id);
  if (node.places.empty()) {
    return MakeError(ErrorCode::kInternal, "column '{}' of a filter is not read", term.name);
  }
  places_.insert(static_cast<size_t>(node.places[0]));
  NestedField leaf{.id = term.field_id, .name = term.name, .type = term.source_type};
  node.fallback = std::make_shared<RowMatcher>(expression, *Type::Struct({std::move(leaf)}));
  return node;
}

Result<RowMask> RowFilter::Match(const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                 int64_t rows, arrow::MemoryPool* pool) const {
  return MatchNode(root_, columns, rows, pool);
}

RowMask RowFilter::MatchPredicate(const Node& node, const arrow::Array& column) {
  RowMask mask = MatchColumn(*node.expression, column);
  if (!mask.empty() || column.length() == 0) return mask;
  mask.resize(static_cast<size_t>(column.length()));
  for (int64_t row = 0; row < column.length(); ++row) {
    const StructValue value{{ReadValue(*node.expression->term().source_type, column, row)}};
    mask[static_cast<size_t>(row)] = node.fallback->Matches(value) ? 1 : 0;
  }
  return mask;
}

// Each value is tested once, and null.
RowMask RowFilter::MatchDictionary(const Node& node, const arrow::DictionaryArray& column) {
  const RowMask of_values = MatchPredicate(node, *column.dictionary());
  const uint8_t of_null = node.fallback->Matches(StructValue{{Value()}}) ? 1 : 0;
  const auto& indices = static_cast<const arrow::Int32Array&>(*column.indices());
  RowMask mask(static_cast<size_t>(column.length()));
  for (int64_t row = 0; row < column.length(); ++row) {
    mask[static_cast<size_t>(row)] = of_values[static_cast<size_t>(indices.Value(row))];
  }
  if (column.null_count() == 0) return mask;
  for (int64_t row = 0; row < column.length(); ++row) {
    if (column.IsNull(row)) mask[static_cast<size_t>(row)] = of_null;
  }
  return mask;
}

Result<RowMask> RowFilter::MatchNode(const Node& node,
                                     const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                     int64_t rows, arrow::MemoryPool* pool) const {
  const ExpressionKind kind = node.expression->kind();
  if (node.expression->is_predicate()) {
    FIRN_ASSIGN(const auto column, LeafColumn(columns, node.places, pool));
    if (column->type_id() != arrow::Type::DICTIONARY) return MatchPredicate(node, *column);
    return MatchDictionary(node, static_cast<const arrow::DictionaryArray&>(*column));
  }
  if (kind != ExpressionKind::kAnd && kind != ExpressionKind::kOr) {
    return RowMask(static_cast<size_t>(rows), kind == ExpressionKind::kTrue ? 1 : 0);
  }
  RowMask mask(static_cast<size_t>(rows), kind == ExpressionKind::kAnd ? 1 : 0);
  for (const Node& child : node.children) {
    FIRN_ASSIGN(const RowMask other, MatchNode(child, columns, rows, pool));
    for (size_t i = 0; i < mask.size(); ++i) {
      mask[i] = kind == ExpressionKind::kAnd ? mask[i] & other[i] : mask[i] | other[i];
    }
  }
  return mask;
}

}  // namespace firn
