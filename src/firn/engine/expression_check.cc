#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firn/base/number.h"
#include "firn/engine/expression_check_internal.h"

namespace firn {
namespace {

using nlohmann::json;

// The expression stands on lines of its own, so that no comment in it hides what follows it.
constexpr std::string_view kBefore = "SELECT (\n";
constexpr std::string_view kAfter = "\n)";

std::string QuoteText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

// The syntax tree of a statement, as DuckDB's JSON, or its description of an error.
Result<json> ParseStatement(QuerySession& session, const std::string& sql) {
  FIRN_ASSIGN(const OwnedStatement statement,
              session.Prepare(fmt::format("SELECT json_serialize_sql({})", QuoteText(sql)), {}));
  FIRN_ASSIGN(OwnedResult result, session.Execute(statement));
  FIRN_ASSIGN(const OwnedChunk chunk, session.Fetch(result));
  if (!chunk.has_value()) return Error(ErrorCode::kInternal, "the SQL text gives no syntax tree");
  const DuckDb& duckdb = session.duckdb();
  duckdb_vector column = duckdb.data_chunk_get_vector(chunk.get(), 0);
  auto* text = static_cast<duckdb_string_t*>(duckdb.vector_get_data(column));
  return json::parse(std::string(duckdb.string_t_data(text), duckdb.string_t_length(*text)),
                     nullptr, false);
}

const json& Member(const json& object, const char* name) {
  static const json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string Text(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool IsEmpty(const json& value) { return value.is_null() || value.empty(); }

// The one expression of `tree`; null if it is anything but a SELECT of one expression.
const json* OnlyExpression(const json& tree) {
  const json& statements = Member(tree, "statements");
  if (!statements.is_array() || statements.size() != 1) return nullptr;
  const json& node = Member(statements[0], "node");
  const json& list = Member(node, "select_list");
  const bool is_plain =
      Text(Member(node, "type")) == "SELECT_NODE" && list.is_array() && list.size() == 1 &&
      Text(Member(Member(node, "from_table"), "type")) == "EMPTY" &&
      IsEmpty(Member(node, "modifiers")) && IsEmpty(Member(Member(node, "cte_map"), "map")) &&
      IsEmpty(Member(node, "where_clause")) && IsEmpty(Member(node, "group_expressions")) &&
      IsEmpty(Member(node, "having")) && IsEmpty(Member(node, "qualify")) &&
      IsEmpty(Member(node, "sample")) && Text(Member(list[0], "alias")).empty();
  return is_plain ? &list[0] : nullptr;
}

// Whether the text is several expressions with commas between them: in parentheses, where it stands
// later, that would be one, a struct.
Result<bool> IsList(QuerySession& session, const std::string& sql) {
  FIRN_ASSIGN(const json tree, ParseStatement(session, "SELECT\n" + sql + "\n"));
  const json& statements = Member(tree, "statements");
  if (!statements.is_array() || statements.size() != 1) return false;
  const json& list = Member(Member(statements[0], "node"), "select_list");
  return list.is_array() && list.size() > 1;
}

struct Forbidden {
  std::string_view kind;  // DuckDB's class of expression.
  std::string_view name;
};
constexpr std::array kForbidden = {
    Forbidden{"SUBQUERY", "a subquery"},
    Forbidden{"WINDOW", "a window function"},
    Forbidden{"STAR", "*"},
    Forbidden{"PARAMETER", "a parameter"},
    Forbidden{"DEFAULT", "DEFAULT"},
    Forbidden{"POSITIONAL_REFERENCE", "a column by its number"},
};

// Collect the names in `node` and what is below it. Recursion is as deep as DuckDB's parser lets it
// be.
Status Walk(const json& node, std::set<std::string>& names) {
  if (node.is_object()) {
    const std::string kind = Text(Member(node, "class"));
    for (const Forbidden& forbidden : kForbidden) {
      if (kind != forbidden.kind) continue;
      return MakeError(ErrorCode::kInvalidInput, "{} is not supported in it", forbidden.name);
    }
    if (kind == "COLUMN_REF") {
      for (const json& name : Member(node, "column_names"))
        names.insert(FoldName(Text(name)));
    }
  }
  if (!node.is_structured()) return {};
  for (const json& child : node)
    FIRN_RETURN_IF_ERROR(Walk(child, names));
  return {};
}

}  // namespace

std::string FoldName(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

Result<std::set<std::string>> CheckExpression(QuerySession& session,
                                              const RowExpression& expression) {
  const std::string sql = std::string(kBefore) + expression.sql + std::string(kAfter);
  FIRN_ASSIGN(const json tree, ParseStatement(session, sql), "{}", expression.where);
  if (const std::string message = Text(Member(tree, "error_message")); !message.empty()) {
    const auto at = ParseUint64(Text(Member(tree, "position")));
    const bool has_place =
        at && *at >= kBefore.size() && *at <= kBefore.size() + expression.sql.size();
    return MakeError(
        ErrorCode::kInvalidInput, "{}: {}{}", expression.where, message,
        has_place ? fmt::format(", at character {} of the SQL text", *at - kBefore.size() + 1)
                  : "");
  }
  const json* only = OnlyExpression(tree);
  if (only == nullptr) {
    return MakeError(ErrorCode::kInvalidInput, "{}: '{}' is not one expression", expression.where,
                     expression.sql);
  }
  FIRN_ASSIGN(const bool is_list, IsList(session, expression.sql), "{}", expression.where);
  if (is_list) {
    return MakeError(
        ErrorCode::kInvalidInput,
        "{}: '{}' is several expressions, expected one; give each column an assignment "
        "of its own",
        expression.where, expression.sql);
  }
  std::set<std::string> names;
  FIRN_RETURN_IF_ERROR(Walk(*only, names), "{}: '{}'", expression.where, expression.sql);
  return names;
}

}  // namespace firn
