#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/format/layout/transform.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/schema/schema.h"

/// Predicates over rows: parse SQL text, bind to a schema, project through partition transforms,
/// test against partition summaries, column metrics and values.
///
/// Logic is SQL's three-valued one as users of Spark know it: a comparison with null is neither
/// true nor false, `<>`, NOT IN and NOT LIKE included, and a row is kept only where the predicate
/// is true. Floats are ordered as in Spark: NaN equals itself and is above everything else, the two
/// zeros are equal. IS NAN of null is false.

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
  kLike,  ///< A pattern with % and _ that is no plain prefix; the escape character is a backslash.
  kNotLike,
};

class Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

/// A literal as it was written: bound to a type only when the column is known.
struct Literal {
  enum class Kind { kNull, kBoolean, kNumber, kText, kDate, kTime, kTimestamp, kUuid, kBinary };
  Kind kind = Kind::kNull;
  std::string text;  ///< Number: its digits. Boolean: "true" or "false". Binary: hex.
  Value value;       ///< After binding: of the term's type.

  bool operator==(const Literal&) const = default;
};

/// The literal that is written for `value` of the primitive `type`; its value is set.
Literal MakeLiteral(const Value& value, const Type& type);

/// What a predicate tests: a column, or a transform of one ("days(ts)").
struct Term {
  std::string name;  ///< Full column name, quoting removed.
  Transform transform;
  // After binding:
  int32_t field_id = 0;
  TypePtr source_type;
  TypePtr type;  ///< Of the transformed value.

  bool operator==(const Term& other) const;  ///< Types deep.
};

/// A node; immutable. Unbound until `Bind`.
class Expression {
 public:
  static ExpressionPtr True();
  static ExpressionPtr False();
  /// Fold constants and flatten: And(true, x) is x, And(And(x, y), z) has three children.
  static ExpressionPtr And(ExpressionPtr a, ExpressionPtr b);
  static ExpressionPtr Or(ExpressionPtr a, ExpressionPtr b);
  static ExpressionPtr And(std::vector<ExpressionPtr> operands);  ///< Of none: true.
  static ExpressionPtr Or(std::vector<ExpressionPtr> operands);   ///< Of none: false.
  static ExpressionPtr Not(ExpressionPtr a);
  /// Comparisons, prefixes and patterns take one literal, kIn and kNotIn any number (of none they
  /// are false and true), the other kinds none.
  static ExpressionPtr Predicate(ExpressionKind kind, Term term, std::vector<Literal> literals);

  ExpressionKind kind() const { return kind_; }
  const std::vector<ExpressionPtr>& children() const { return children_; }  ///< And, Or, Not.
  const Term& term() const { return term_; }
  const std::vector<Literal>& literals() const { return literals_; }
  bool is_predicate() const { return kind_ >= ExpressionKind::kIsNull; }

  bool operator==(const Expression& other) const;  ///< Deep.

 private:
  ExpressionKind kind_ = ExpressionKind::kTrue;
  std::vector<ExpressionPtr> children_;
  Term term_;
  std::vector<Literal> literals_;
};

/// Parse a SQL filter: comparison (both orders; also `<=>`), IN, BETWEEN, LIKE with ESCAPE,
/// IS [NOT] NULL, NAN, TRUE, FALSE, bare boolean columns, NOT, AND, OR, typed literals, "quoted"
/// and `quoted` and nested names, and transforms: `days(ts) = DATE '2026-01-31'`,
/// `bucket(16, id) = 3`, `system.hours(ts)`. `months`, `years` and `hours` count since 1970 as in
/// Spark; text compares with the readable form (`months(ts) = '2026-01'`); `year(ts)` is the
/// calendar year. Errors: kInvalidInput with position, what was found and what was expected.
Result<ExpressionPtr> ParseExpression(std::string_view text);

/// SQL text that parses to the same expression.
std::string FormatExpression(const Expression& expression);

/// Resolve names and convert literals to the columns' types. In the result NOT is pushed down to
/// the predicates and literals are exact values: comparisons that are decided by the range of the
/// type fold (int_col < 3e9), fractions are rounded in the right direction (int_col < 2.5 is
/// int_col <= 2), literals of IN are sorted and unique, NaN literals become NaN tests, and time
/// transforms become ranges of their column. The result is true for the same rows; where the
/// original is null it may be false. Literals for float columns are the nearest float. A
/// `TIMESTAMP '…'` without zone is UTC against timestamptz; with a zone against timestamp it is an
/// error. Errors: kInvalidInput naming column and literal, and the known columns.
Result<ExpressionPtr> Bind(const ExpressionPtr& expression, const Schema& schema,
                           bool is_case_sensitive = true);

/// Field ids that a bound expression reads.
std::set<int32_t> ReferencedFields(const Expression& bound);

/// Project a bound row predicate to the partition fields of `spec`. The terms of the result name
/// partition field ids; a term keeps its transform where the partition holds the column itself.
/// Inclusive: true for every partition that may hold a matching row. Strict: true only for
/// partitions in which every row matches. Partition values that old writers put one too high for
/// times before 1970 are allowed for.
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

/// Tests rows against one filter; field positions are looked up once. Thread-safe.
class RowMatcher {
 public:
  /// `type` is the struct of the rows (a schema's struct, or a partition): terms are found by
  /// field id through structs; a field that is missing reads as null.
  RowMatcher(ExpressionPtr bound, const Type& type);

  /// True where the filter is true; null where SQL says null counts as no.
  bool Matches(const StructValue& fields) const;

 private:
  struct Node {
    const Expression* expression = nullptr;
    std::vector<size_t> path;    ///< Of a predicate: positions from the row down.
    std::vector<Node> children;  ///< Of And and Or.
  };
  static Node MakeNode(const Expression& expression, const Type& type);
  static bool MatchesNode(const Node& node, const StructValue& fields);
  ExpressionPtr bound_;
  Node root_;
};

/// Does one row match? See `RowMatcher`.
bool MatchesRow(const ExpressionPtr& bound, const Type& type, const StructValue& fields);

/// What is left to test for rows of the partitions of one spec; projections are made once.
/// Thread-safe.
class ResidualEvaluator {
 public:
  static Result<ResidualEvaluator> Make(ExpressionPtr bound, const PartitionSpec& spec,
                                        const Type& partition_type);

  /// The filter without the predicates that the partition decides; true if nothing is left, false
  /// if no row of the partition can match.
  ExpressionPtr ResidualFor(const StructValue& partition) const;

 private:
  struct Node {
    ExpressionPtr expression;
    std::vector<RowMatcher> inclusive;  ///< Of a predicate: one, if the spec says anything of it.
    std::vector<RowMatcher> strict;
    std::vector<Node> children;
  };
  static Result<Node> MakeNode(const ExpressionPtr& expression, const PartitionSpec& spec,
                               const Type& partition_type);
  static ExpressionPtr Evaluate(const Node& node, const StructValue& partition);
  Node root_;
};

/// As `ResidualEvaluator`, for one partition.
Result<ExpressionPtr> ResidualFor(const ExpressionPtr& bound, const PartitionSpec& spec,
                                  const Type& partition_type, const StructValue& partition);

}  // namespace firn
