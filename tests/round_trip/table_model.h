#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "firn/expression/expression.h"
#include "firn/format/metadata/snapshot.h"
#include "firn/format/schema/schema.h"

/// What a table must hold, in memory: rows as they were written, which every later schema sees by
/// field id.

namespace firn::round_trip {

struct ModelRow {
  SchemaPtr schema;  ///< With which it was written.
  StructValue values;
};
/// A row is one object for ever, whatever files it moves through.
using ModelRows = std::vector<std::shared_ptr<const ModelRow>>;

/// A row of `from` as `to` shows it: fields by id, those that it lacks by their initial default,
/// promoted where the type is wider.
StructValue ViewAs(const ModelRow& row, const Schema& to);

/// A predicate on one column.
struct ModelCondition {
  std::string column;
  ExpressionKind kind = ExpressionKind::kTrue;
  Value literal;  ///< Of the column's type.

  ExpressionPtr ToExpression(const Type& type) const;
  std::string Format(const Type& type) const;
};

/// True where SQL says true; floats as in Spark.
bool Matches(const ModelCondition& condition, const ModelRow& row, const Schema& schema);

}  // namespace firn::round_trip
