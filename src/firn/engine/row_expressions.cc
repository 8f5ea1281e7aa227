#include "firn/engine/row_expressions.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/engine/expression_check_internal.h"

namespace firn {
namespace {

// Columns of `schema` that SQL can name. Errors: one of `names` may mean two.
Result<InputColumns> ChooseColumns(const ArrowSchema& schema, const std::set<std::string>& names) {
  std::map<std::string, size_t> found;
  std::set<std::string> ambiguous;
  for (size_t i = 0; i < static_cast<size_t>(schema.n_children); ++i) {
    const char* name = schema.children[i]->name;
    const std::string folded = FoldName(name);
    const auto [other, is_new] = found.emplace(folded, i);
    if (is_new) continue;
    if (names.contains(folded)) {
      return MakeError(ErrorCode::kInvalidInput,
                       "columns '{}' and '{}' differ in case alone, so that SQL text cannot name "
                       "them",
                       schema.children[other->second]->name, name);
    }
    ambiguous.insert(folded);
  }
  InputColumns columns;
  for (const auto& [name, index] : found) {
    if (ambiguous.contains(name)) continue;
    (names.contains(name) ? columns.needed : columns.optional).push_back(index);
  }
  return columns;
}

void AddPart(std::string& sql, std::vector<SqlPart>& parts, const RowExpression& expression,
             std::string_view before, std::string_view after) {
  SqlPart part{.begin = sql.size(), .first = 0, .end = 0, .where = expression.where};
  sql += before;
  part.first = sql.size();
  sql += expression.sql;
  sql += after;
  part.end = sql.size();
  parts.push_back(std::move(part));
}

// Where rows are only chosen, DuckDB lets nothing in that sees several.
Status CheckSeesOneRow(QuerySession& session, const RowExpression& expression) {
  std::string sql = "SELECT 1 FROM rows WHERE ";
  std::vector<SqlPart> parts;
  AddPart(sql, parts, expression, "(\n", "\n) IS NULL");
  const Result<OwnedStatement> prepared = session.Prepare(sql, std::move(parts));
  if (prepared.ok()) return {};
  const std::string& message = prepared.error().message();
  if (message.find("WHERE clause cannot contain") == std::string::npos &&
      message.find("UNNEST not supported") == std::string::npos) {
    return prepared.error();
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "{}: '{}' sees or makes several rows, expected an expression of one row",
                   expression.where, expression.sql);
}

// What a value is made of, by the name of its type.
std::string_view ShapeOf(std::string_view type) {
  if (type.ends_with("]")) return "a list";
  if (type.starts_with("STRUCT(")) return "a struct";
  if (type.starts_with("MAP(")) return "a map";
  return type.starts_with("UNION(") ? "a union" : "a single value";
}

// Null fits all; lists are compared by their elements.
bool HaveSameShape(std::string_view value, std::string_view wanted) {
  if (value == "NULL" || value == "\"NULL\"") return true;
  if (!value.ends_with("]") || !wanted.ends_with("]")) return ShapeOf(value) == ShapeOf(wanted);
  return HaveSameShape(value.substr(0, value.rfind('[')), wanted.substr(0, wanted.rfind('[')));
}

// The type of the expression, of a row of nulls.
Result<std::string> TypeOf(QuerySession& session, const RowExpression& expression) {
  std::string sql = "SELECT typeof(";
  std::vector<SqlPart> parts;
  AddPart(sql, parts, expression, "(\n", "\n)");
  sql += ") FROM (SELECT 1 AS \"a row\") LEFT JOIN rows ON false";
  FIRN_ASSIGN(const OwnedStatement statement, session.Prepare(sql, std::move(parts)));
  FIRN_ASSIGN(OwnedResult result, session.Execute(statement));
  FIRN_ASSIGN(const OwnedChunk chunk, session.Fetch(result));
  if (!chunk.has_value()) return std::string("NULL");
  const DuckDb& duckdb = session.duckdb();
  auto* texts = static_cast<duckdb_string_t*>(
      duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk.get(), 0)));
  return std::string(duckdb.string_t_data(texts), duckdb.string_t_length(*texts));
}

// The engine would make text of a list and the like, and the other way round, without a word.
Status CheckShape(QuerySession& session, const RowExpression& expression) {
  FIRN_ASSIGN(const std::string type, TypeOf(session, expression));
  if (HaveSameShape(type, expression.type_sql)) return {};
  const std::string_view shape = ShapeOf(type);
  const std::string_view wanted = ShapeOf(expression.type_sql);
  return MakeError(ErrorCode::kInvalidInput, "{}: '{}' is {}{}, expected {} of type {}",
                   expression.where, TrimText(expression.sql), shape,
                   shape == wanted ? " of another kind" : "", wanted, expression.type_sql);
}

}  // namespace

struct RowExpressions::State {
  std::shared_ptr<QuerySession> session;
  std::shared_ptr<OwnedStatement> statement;
  std::shared_ptr<BatchPtr> next;  // What the query reads when it is run; shared with its input.
};

RowExpressions::RowExpressions(std::unique_ptr<State> state) : state_(std::move(state)) {}
RowExpressions::RowExpressions(RowExpressions&&) noexcept = default;
RowExpressions& RowExpressions::operator=(RowExpressions&&) noexcept = default;
RowExpressions::~RowExpressions() = default;

Result<RowExpressions> RowExpressions::Prepare(const Engine& engine, const ArrowSchema& columns,
                                               const std::vector<RowExpression>& expressions) {
  FIRN_ASSIGN(QuerySession session, QuerySession::Open(engine.state_));
  std::set<std::string> names;
  for (const RowExpression& expression : expressions) {
    FIRN_ASSIGN(auto found, CheckExpression(session, expression));
    names.merge(found);
  }
  FIRN_ASSIGN(const auto chosen, ChooseColumns(columns, names));
  auto state = std::make_unique<State>();
  state->next = std::make_shared<BatchPtr>();
  const auto source = [next = state->next]() -> Result<BatchPtr> {
    return std::exchange(*next, nullptr);
  };
  FIRN_RETURN_IF_ERROR(session.AddTable("rows", columns, source, chosen));
  // One transaction, so that the current time is the same for all batches.
  FIRN_RETURN_IF_ERROR(session.Run("BEGIN TRANSACTION"));
  std::string sql = "SELECT ";
  std::vector<SqlPart> parts;
  for (size_t i = 0; i < expressions.size(); ++i) {
    FIRN_RETURN_IF_ERROR(CheckSeesOneRow(session, expressions[i]));
    FIRN_RETURN_IF_ERROR(CheckShape(session, expressions[i]));
    if (i > 0) sql += ", ";
    AddPart(sql, parts, expressions[i], "CAST((\n",
            fmt::format("\n) AS {}) AS c{}", expressions[i].type_sql, i));
  }
  FIRN_ASSIGN(OwnedStatement statement, session.Prepare(sql + " FROM rows", std::move(parts)));
  state->session = std::make_shared<QuerySession>(std::move(session));
  state->statement = std::make_shared<OwnedStatement>(std::move(statement));
  return RowExpressions(std::move(state));
}

RowStream RowExpressions::Evaluate(ArrowArray* batch) {
  auto owned = std::make_shared<OwnedArray>();
  owned->array = std::exchange(*batch, ArrowArray{});
  *state_->next = std::move(owned);
  return StreamResult(state_->session, state_->statement);
}

}  // namespace firn
