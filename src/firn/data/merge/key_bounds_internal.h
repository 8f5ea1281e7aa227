#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/expression/expression.h"
#include "firn/format/types/value.h"

namespace firn {

/// What the values of one key column have in common: the values themselves while they are few, else
/// the lowest and the highest.
class KeyBounds {
 public:
  /// `name`: of the column.
  KeyBounds(std::string name, TypePtr type) : name_(std::move(name)), type_(std::move(type)) {}

  /// Values of the column, without nulls.
  Status Add(const arrow::Array& values);

  /// True for every row that has one of the values; unbound.
  ExpressionPtr Condition() const;

 private:
  Status AddValues(const arrow::Array& values);
  Status Widen(const arrow::Array& values);
  Literal LiteralOf(const Value& value) const { return MakeLiteral(value, *type_); }

  std::string name_;
  TypePtr type_;
  bool has_nan_ = false;  // Nothing is known then: it lies above all.
  bool has_few_values_ = true;
  std::vector<Value> values_;  // Sorted and unique.
  Value lower_;
  Value upper_;
};

}  // namespace firn
