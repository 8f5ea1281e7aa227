#include "firn/format/layout/layout_text.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/format/schema/column_lookup.h"
#include "firn/format/schema/definition_cursor_internal.h"
#include "firn/format/types/as_request_internal.h"

namespace firn {
namespace {

constexpr int32_t kFirstPartitionFieldId = 1000;
constexpr std::string_view kTermExpected =
    "a column or a transform: identity(c), year(c), month(c), day(c), hour(c), bucket(N, c), "
    "truncate(W, c), void(c)";

constexpr std::array<std::pair<std::string_view, TransformKind>, 15> kTransformNames = {{
    {"bucket", TransformKind::kBucket},
    {"date", TransformKind::kDay},
    {"date_hour", TransformKind::kHour},
    {"day", TransformKind::kDay},
    {"days", TransformKind::kDay},
    {"hour", TransformKind::kHour},
    {"hours", TransformKind::kHour},
    {"identity", TransformKind::kIdentity},
    {"month", TransformKind::kMonth},
    {"months", TransformKind::kMonth},
    {"truncate", TransformKind::kTruncate},
    {"trunc", TransformKind::kTruncate},
    {"void", TransformKind::kVoid},
    {"year", TransformKind::kYear},
    {"years", TransformKind::kYear},
}};

struct TransformedColumn {
  std::string column;
  Transform transform;
};

std::string JoinPath(const std::vector<std::string>& path) {
  return fmt::format("{}", fmt::join(path, "."));
}

class LayoutTextParser {
 public:
  explicit LayoutTextParser(DefinitionCursor& cursor) : cursor_(cursor) {}

  Result<PartitionTerm> ParsePartitionTerm() {
    FIRN_ASSIGN(TransformedColumn term, ParseTerm());
    PartitionTerm result{std::move(term.column), std::move(term.transform), std::nullopt};
    if (cursor_.TakeKeyword("as")) {
      FIRN_ASSIGN(result.name, cursor_.TakeName("the name of the partition field"));
    }
    return result;
  }

  Result<SortTerm> ParseSortTerm() {
    FIRN_ASSIGN(TransformedColumn term, ParseTerm());
    SortTerm result;
    result.column = std::move(term.column);
    result.transform = std::move(term.transform);
    result.is_descending = cursor_.TakeKeyword("desc");
    if (!result.is_descending) cursor_.TakeKeyword("asc");
    result.is_nulls_first = !result.is_descending;
    if (!cursor_.TakeKeyword("nulls")) return result;
    result.is_nulls_first = cursor_.TakeKeyword("first");
    if (!result.is_nulls_first && !cursor_.TakeKeyword("last")) {
      return cursor_.Unexpected("'first' or 'last'");
    }
    return result;
  }

 private:
  Result<TransformedColumn> ParseTerm() {
    const bool is_call = cursor_.Peek().kind == DefinitionTokenKind::kName &&
                         (cursor_.IsSymbol('(', 1) || cursor_.IsSymbol('[', 1));
    if (is_call) return ParseCall();
    FIRN_ASSIGN(const auto path, cursor_.TakePath(kTermExpected));
    return TransformedColumn{JoinPath(path), {}};
  }

  Result<TransformedColumn> ParseCall() {
    TransformedColumn term;
    const DefinitionToken name = cursor_.Peek();
    bool is_known = false;
    for (const auto& [known, kind] : kTransformNames) {
      if (!EqualsIgnoreCase(known, name.text)) continue;
      term.transform.kind = kind;
      is_known = true;
    }
    if (!is_known) return cursor_.Unexpected(kTermExpected);
    cursor_.Take();
    const bool has_width = term.transform.kind == TransformKind::kBucket ||
                           term.transform.kind == TransformKind::kTruncate;
    const bool is_bracketed = has_width && cursor_.TakeSymbol('[');  // "bucket[16](id)"
    if (is_bracketed) {
      FIRN_ASSIGN(term.transform.width, TakeWidth());
      FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol(']'));
    }
    FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol('('));
    FIRN_RETURN_IF_ERROR(ParseArguments(term, has_width && !is_bracketed));
    FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol(')'));
    return term;
  }

  // "16, id", as Spark has it, or "id, 16".
  Status ParseArguments(TransformedColumn& term, bool has_width) {
    const bool is_width_first = has_width && cursor_.Peek().kind == DefinitionTokenKind::kNumber;
    if (is_width_first) {
      FIRN_ASSIGN(term.transform.width, TakeWidth());
      FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol(','));
    }
    FIRN_ASSIGN(const auto path, cursor_.TakePath("the name of a column"));
    term.column = JoinPath(path);
    if (!has_width || is_width_first) return {};
    FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol(','));
    FIRN_ASSIGN(term.transform.width, TakeWidth());
    return {};
  }

  Result<int32_t> TakeWidth() {
    const size_t offset = cursor_.Peek().offset;
    FIRN_ASSIGN(const int32_t width, cursor_.TakeNumber("a number"));
    if (width < 1) return cursor_.Fail(offset, "found 0, expected 1 or more");
    return width;
  }

  DefinitionCursor& cursor_;
};

std::string FormatTerm(std::string_view column, const Transform& transform) {
  // A full name is quoted as a whole: its dots may be its own.
  std::string name = FormatDefinitionName(column);
  if (transform.kind == TransformKind::kIdentity) return name;
  if (transform.width == 0) return FormatTransform(transform) + "(" + name + ")";
  return fmt::format("{}({}, {})", transform.kind == TransformKind::kBucket ? "bucket" : "truncate",
                     transform.width, name);
}

}  // namespace

Result<std::vector<PartitionTerm>> ParsePartitionText(std::string_view text) {
  FIRN_ASSIGN(DefinitionCursor cursor, DefinitionCursor::Open("partition", text));
  std::vector<PartitionTerm> terms;
  if (cursor.IsAtEnd()) return terms;
  do {
    FIRN_ASSIGN(PartitionTerm term, LayoutTextParser(cursor).ParsePartitionTerm());
    terms.push_back(std::move(term));
  } while (cursor.TakeSymbol(','));
  FIRN_RETURN_IF_ERROR(cursor.ExpectEnd("',', 'as' or the end"));
  return terms;
}

Result<PartitionTerm> ParsePartitionFieldText(std::string_view text) {
  FIRN_ASSIGN(DefinitionCursor cursor, DefinitionCursor::Open("partition field", text));
  FIRN_ASSIGN(PartitionTerm term, LayoutTextParser(cursor).ParsePartitionTerm());
  FIRN_RETURN_IF_ERROR(cursor.ExpectEnd("'as' or the end"));
  return term;
}

Result<std::vector<SortTerm>> ParseSortOrderText(std::string_view text) {
  FIRN_ASSIGN(DefinitionCursor cursor, DefinitionCursor::Open("sort order", text));
  std::vector<SortTerm> terms;
  if (cursor.IsAtEnd()) return terms;
  do {
    FIRN_ASSIGN(SortTerm term, LayoutTextParser(cursor).ParseSortTerm());
    terms.push_back(std::move(term));
  } while (cursor.TakeSymbol(','));
  FIRN_RETURN_IF_ERROR(
      cursor.ExpectEnd("',', 'asc', 'desc', 'nulls first', 'nulls last' or the end"));
  return terms;
}

std::string FormatPartitionTerm(const PartitionTerm& term) {
  std::string text = FormatTerm(term.column, term.transform);
  if (term.name) text += " as " + FormatDefinitionName(*term.name);
  return text;
}

std::string FormatSortTerm(const SortTerm& term) {
  return fmt::format("{} {} nulls {}", FormatTerm(term.column, term.transform),
                     term.is_descending ? "desc" : "asc", term.is_nulls_first ? "first" : "last");
}

std::string DefaultPartitionName(std::string_view column, const Transform& transform,
                                 PartitionNaming naming) {
  const bool is_width_named = naming == PartitionNaming::kAdded;
  const std::string width = is_width_named ? fmt::format("_{}", transform.width) : "";
  switch (transform.kind) {
    case TransformKind::kIdentity:
    case TransformKind::kUnknown:
      return std::string(column);
    case TransformKind::kBucket:
      return fmt::format("{}_bucket{}", column, width);
    case TransformKind::kTruncate:
      return fmt::format("{}_trunc{}", column, width);
    case TransformKind::kYear:
      return fmt::format("{}_year", column);
    case TransformKind::kMonth:
      return fmt::format("{}_month", column);
    case TransformKind::kDay:
      return fmt::format("{}_day", column);
    case TransformKind::kHour:
      return fmt::format("{}_hour", column);
    case TransformKind::kVoid:
      return fmt::format("{}_null", column);
  }
  return std::string(column);
}

Result<PartitionSpec> MakePartitionSpec(const std::vector<PartitionTerm>& terms,
                                        const Schema& schema) {
  PartitionSpec spec;
  for (const PartitionTerm& term : terms) {
    FIRN_ASSIGN(const NestedField* column, FindColumn(schema, term.column), "partition");
    PartitionField field;
    field.source_ids = {column->id};
    field.field_id = kFirstPartitionFieldId + static_cast<int32_t>(spec.fields.size());
    field.transform = term.transform;
    field.name = term.name.value_or(DefaultPartitionName(
        schema.FullName(column->id), term.transform, PartitionNaming::kNewTable));
    spec.fields.push_back(std::move(field));
  }
  FIRN_RETURN_IF_ERROR(AsRequest(ValidatePartitionSpec(spec, schema)));
  FIRN_RETURN_IF_ERROR(AsRequest(ValidateNewPartitionSpec(spec, schema)));
  return spec;
}

Result<SortOrder> MakeSortOrder(const std::vector<SortTerm>& terms, const Schema& schema) {
  SortOrder order;
  order.order_id = terms.empty() ? 0 : 1;
  for (const SortTerm& term : terms) {
    FIRN_ASSIGN(const NestedField* column, FindColumn(schema, term.column), "sort order");
    if (!schema.StructPath(column->id)) {
      return MakeError(
          ErrorCode::kInvalidInput,
          "sort order: column '{}' lies in a list or a map, expected a column with one "
          "value in each row",
          term.column);
    }
    SortField field;
    field.source_ids = {column->id};
    field.transform = term.transform;
    field.is_descending = term.is_descending;
    field.is_nulls_first = term.is_nulls_first;
    for (const SortField& other : order.fields) {
      if (other.source_ids != field.source_ids || other.transform != field.transform) continue;
      return MakeError(ErrorCode::kInvalidInput, "sort order: {} of column '{}' stands twice",
                       FormatTransform(field.transform), term.column);
    }
    order.fields.push_back(std::move(field));
  }
  FIRN_RETURN_IF_ERROR(AsRequest(ValidateSortOrder(order, schema)));
  return order;
}

}  // namespace firn
