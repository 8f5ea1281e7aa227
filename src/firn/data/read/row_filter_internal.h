#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/data/formats/data_file_internal.h"
#include "firn/expression/expression.h"

namespace firn {

/// A bound filter over columns: which rows match, exactly as RowMatcher tells row by row.
class RowFilter {
 public:
  /// `fields` are those of the columns. Errors: kInternal if a tested field is not among them.
  static Result<RowFilter> Make(ExpressionPtr bound, std::vector<NestedField> fields);

  /// Places of the columns that `Match` looks at.
  const std::set<size_t>& places() const { return places_; }

  /// Which of the rows match. Columns have the Arrow types of `fields`, or are dictionary arrays of
  /// them with indices of 32 bits.
  Result<RowMask> Match(const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t rows,
                        arrow::MemoryPool* pool) const;

 private:
  struct Node {
    const Expression* expression = nullptr;
    std::vector<int> places;                     ///< Of a predicate's column.
    std::shared_ptr<const RowMatcher> fallback;  ///< For predicates without a vectorised form.
    std::vector<Node> children;
  };

  RowFilter(ExpressionPtr bound, std::vector<NestedField> fields)
      : bound_(std::move(bound)), fields_(std::move(fields)) {}
  Result<Node> MakeNode(const ExpressionPtr& expression);
  static RowMask MatchPredicate(const Node& node, const arrow::Array& column);
  static RowMask MatchDictionary(const Node& node, const arrow::DictionaryArray& column);
  Result<RowMask> MatchNode(const Node& node,
                            const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t rows,
                            arrow::MemoryPool* pool) const;

  ExpressionPtr bound_;
  std::vector<NestedField> fields_;
  std::set<size_t> places_;
  Node root_;
};

/// Match one predicate on its column in a vectorised way; an empty mask if there is none for it.
RowMask MatchColumn(const Expression& predicate, const arrow::Array& column);

}  // namespace firn
