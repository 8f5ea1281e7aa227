#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/format/manifest.h"
#include "firn/format/schema.h"
#include "firn/format/transform.h"

/// Predicates over rows: parse SQL text, bind to a schema, project through partition transforms,
/// test against partition summaries, column metrics and values. Logic follows SQL as users of
/// Spark know it: a row is kept only where the predicate is true (null is not true).

namespace firn {

enum class ExpressionKind {
  kTrue,
  kFalse,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kNotNull,
  kIsNan,
  kNotNan,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kIn,
  kNotIn,
  kStartsWith,
  kNotStartsWith,
};

class Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

/// A literal as it was written: bound to a type only when the column is known.
struct Literal {
  enum class Kind { kNull, kBoolean, kNumber, kText, kDate, kTime, kTimestamp, kUuid, kBinary };
  Kind kind = Kind::kNull;
  std::string text;  ///< Number: its digits. Boolean: "true" or "false". Binary: hex.
  Value value;       ///< After binding: of the term's type.
};

/// What a predicate tests: a column, or a transform of one ("days(ts)").
struct Term {
  std::string name;  ///< Full column name, quoting removed.
  Transform transform;
  // After binding:
  int32_t field_id = 0;
  TypePtr source_type;
  TypePtr type;  ///< Of the transformed value.
};

/// A node; immutable. Unbound until `Bind`.
class Expression {
 public:
  static ExpressionPtr True();
  static ExpressionPtr False();
  /// Folds constants: And(true, x) is x.
  static ExpressionPtr And(ExpressionPtr a, ExpressionPtr b);
  static ExpressionPtr Or(ExpressionPtr a, ExpressionPtr b);
  static ExpressionPtr Not(ExpressionPtr a);
  static ExpressionPtr Predicate(ExpressionKind kind, Term term, std::vector<Literal> literals);

  ExpressionKind kind() const { return kind_; }
  const std::vector<ExpressionPtr>& children() const { return children_; }  ///< And, Or, Not.
  const Term& term() const { return term_; }
  const std::vector<Literal>& literals() const { return literals_; }
  bool is_predicate() const { return kind_ >= ExpressionKind::kIsNull; }

 private:
  ExpressionKind kind_ = ExpressionKind::kTrue;
  std::vector<ExpressionPtr> children_;
  Term term_;
  std::vector<Literal> literals_;
};

/// Parse a SQL filter: comparison (both orders), IN, BETWEEN, IS [NOT] NULL, IS [NOT] NAN,
/// NOT, AND, OR, LIKE 'x%', typed literals, transforms (`days(ts) = DATE '2026-01-31'`),
/// "quoted" and `quoted` and nested names. Errors: kInvalidInput with position and what was
/// expected.
Result<ExpressionPtr> ParseExpression(std::string_view text);

/// SQL text that parses to the same expression.
std::string FormatExpression(const Expression& expression);

/// Resolve names and convert literals to the columns' types; NOT is pushed down to the predicates;
/// comparisons that cannot be true or false by range fold (int_col < 3e9). A `TIMESTAMP '…'`
/// without zone is UTC against timestamptz; with a zone against timestamp it is an error. Errors:
/// kInvalidInput naming column and literal, and the known columns.
Result<ExpressionPtr> Bind(const ExpressionPtr& expression, const Schema& schema,
                           bool is_case_sensitive = true);

/// Field ids that a bound expression reads.
std::set<int32_t> ReferencedFields(const Expression& bound);

/// Project a bound row predicate to the partition fields of `spec`. The terms of the result name
/// partition field ids. Inclusive: true for every partition that may hold a matching row. Strict:
/// true only for partitions in which every row matches.
Result<ExpressionPtr> ProjectInclusive(const ExpressionPtr& bound, const PartitionSpec& spec,
                                       const Type& partition_type);
Result<ExpressionPtr> ProjectStrict(const ExpressionPtr& bound, const PartitionSpec& spec,
                                    const Type& partition_type);

/// May a manifest hold a matching file? `projected` is over partition fields.
bool MightMatchManifest(const Expression& projected, const PartitionSpec& spec,
                        const Type& partition_type, const ManifestFile& manifest);

/// Column metrics as the evaluators need them; from a data file or from a row group's footer.
struct ColumnMetrics {
  const FileMetrics* metrics = nullptr;
  int64_t record_count = 0;  ///< Negative: not known.
};

/// May a row of the file match? False only if no row can.
bool MightMatchMetrics(const Expression& bound, const Schema& schema, const ColumnMetrics& metrics);
/// Do all rows match for certain?
bool AllMatchMetrics(const Expression& bound, const Schema& schema, const ColumnMetrics& metrics);

/// Does a row match? `fields` are the values of a struct (the schema's struct, or a partition),
/// whose type is `type`: terms are found by field id. Null where SQL says null counts as no.
bool MatchesRow(const Expression& bound, const Type& type, const StructValue& fields);

/// What is left to test for rows of a file with these partition values.
Result<ExpressionPtr> ResidualFor(const ExpressionPtr& bound, const PartitionSpec& spec,
                                  const Type& partition_type, const StructValue& partition);

}  // namespace firn
