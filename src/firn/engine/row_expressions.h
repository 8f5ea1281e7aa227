#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firn/engine/engine.h"

struct ArrowArray;
struct ArrowSchema;

namespace firn {

/// SQL that computes one value from the columns of one row.
struct RowExpression {
  std::string where;     ///< For messages: "set 'a'".
  std::string sql;       ///< The user's.
  std::string type_sql;  ///< What its value is cast to; a value that does not fit is an error.
};

/// Expressions over batches of rows: each row for itself, so that no aggregate, window, subquery or
/// anything else that would see, make or lose rows is let in.
class RowExpressions {
 public:
  /// `columns` is the schema of the batches and is only read. Names are matched without case.
  ///
  /// Errors  kInvalidInput, naming the expression and the place in it: it is wrong, names no column
  ///         or one of two that differ in case alone, or is more than an expression of one row.
  ///         kUnsupported: it names a column of an unknown type.
  static Result<RowExpressions> Prepare(const Engine& engine, const ArrowSchema& columns,
                                        const std::vector<RowExpression>& expressions);

  RowExpressions(RowExpressions&&) noexcept;
  RowExpressions& operator=(RowExpressions&&) noexcept;
  ~RowExpressions();

  /// A column for each expression and a row for each of `batch`, in order. Takes `batch` over. The
  /// stream is read before the next call. Errors in the stream: kInvalidInput, naming the
  /// expression: a value does not fit; kCancelled.
  RowStream Evaluate(ArrowArray* batch);

 private:
  struct State;
  explicit RowExpressions(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace firn
