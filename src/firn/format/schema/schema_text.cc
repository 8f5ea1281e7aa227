#include "firn/format/schema/schema_text.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/format/schema/definition_cursor_internal.h"
#include "firn/format/types/as_request_internal.h"
#include "firn/format/types/type_fields.h"

namespace firn {
namespace {

// Deeper than any schema; what recurses over types stays far from the end of its stack.
constexpr int kDepthMax = 100;
constexpr int32_t kDecimalDigitsMax = 38;
constexpr std::string_view kTypeExpected =
    "a type such as 'bigint', 'string', 'decimal(9,2)', 'timestamptz', 'struct<a: int>', "
    "'array<int>' or 'map<string, int>'";

constexpr std::array<std::pair<std::string_view, TypeId>, 34> kTypeNames = {{
    {"bigint", TypeId::kLong},
    {"binary", TypeId::kBinary},
    {"bool", TypeId::kBoolean},
    {"boolean", TypeId::kBoolean},
    {"byte", TypeId::kInt},
    {"bytes", TypeId::kBinary},
    {"date", TypeId::kDate},
    {"double", TypeId::kDouble},
    {"float", TypeId::kFloat},
    {"int", TypeId::kInt},
    {"integer", TypeId::kInt},
    {"long", TypeId::kLong},
    {"real", TypeId::kFloat},
    {"short", TypeId::kInt},
    {"smallint", TypeId::kInt},
    {"string", TypeId::kString},
    {"text", TypeId::kString},
    {"time", TypeId::kTime},
    {"timestamp", TypeId::kTimestamp},
    {"timestamp_ltz", TypeId::kTimestamptz},
    {"timestamp_ns", TypeId::kTimestampNs},
    {"timestamp_ntz", TypeId::kTimestamp},
    {"timestamptz", TypeId::kTimestamptz},
    {"timestamptz_ns", TypeId::kTimestamptzNs},
    {"tinyint", TypeId::kInt},
    {"unknown", TypeId::kUnknown},
    {"uuid", TypeId::kUuid},
    {"varbinary", TypeId::kBinary},
    {"variant", TypeId::kVariant},
    {"void", TypeId::kUnknown},
    {"char", TypeId::kString},
    {"varchar", TypeId::kString},
    {"geography", TypeId::kGeography},
    {"geometry", TypeId::kGeometry},
}};

class SchemaTextParser {
 public:
  explicit SchemaTextParser(DefinitionCursor& cursor) : cursor_(cursor) {}

  Result<std::vector<NestedField>> ParseColumns() {
    std::vector<NestedField> columns;
    do {
      NestedField column;
      FIRN_ASSIGN(column.name, cursor_.TakeName("the name of a column"));
      FIRN_RETURN_IF_ERROR(ParseRest(column, 0));
      columns.push_back(std::move(column));
    } while (cursor_.TakeSymbol(','));
    return columns;
  }

  // Type, nullability and comment.
  Status ParseRest(NestedField& field, int depth) {
    FIRN_ASSIGN(field.type, ParseType(depth));
    return ParseConstraints(field, /*may_comment=*/true);
  }

  Result<TypePtr> ParseType(int depth) {
    if (depth > kDepthMax) {
      return cursor_.Fail(cursor_.Peek().offset,
                          fmt::format("types lie in each other more than {} deep", kDepthMax));
    }
    if (cursor_.Peek().kind != DefinitionTokenKind::kName) return cursor_.Unexpected(kTypeExpected);
    const std::string name = LowerAscii(cursor_.Peek().text);
    if (name == "struct") return ParseStruct(depth);
    if (name == "list" || name == "array") return ParseList(depth);
    if (name == "map") return ParseMap(depth);
    if (name == "decimal" || name == "numeric" || name == "dec") return ParseDecimal();
    if (name == "fixed") return ParseFixed();
    for (const auto& [known, id] : kTypeNames) {
      if (known == name) return ParsePlain(id);
    }
    return cursor_.Unexpected(kTypeExpected);
  }

 private:
  Status ParseConstraints(NestedField& field, bool may_comment) {
    bool has_nullability = false;
    bool has_comment = false;
    while (true) {
      const size_t offset = cursor_.Peek().offset;
      const bool is_not_null = cursor_.TakeKeyword("not");
      if (is_not_null) FIRN_RETURN_IF_ERROR(cursor_.ExpectKeyword("null"));
      const bool is_required = is_not_null || cursor_.TakeKeyword("required");
      if (is_required || cursor_.TakeKeyword("null") || cursor_.TakeKeyword("optional")) {
        if (std::exchange(has_nullability, true)) {
          return cursor_.Fail(offset, "it is said twice whether the column may be null");
        }
        field.required = is_required;
      } else if (may_comment && cursor_.TakeKeyword("comment")) {
        if (std::exchange(has_comment, true)) {
          return cursor_.Fail(offset, "the column has two comments");
        }
        FIRN_ASSIGN(field.doc, cursor_.TakeText("a comment in quotes"));
      } else {
        return {};
      }
    }
  }

  Result<TypePtr> ParseStruct(int depth) {
    cursor_.Take();
    FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol('<'));
    std::vector<NestedField> fields;
    do {
      NestedField field;
      FIRN_ASSIGN(field.name, cursor_.TakeName("the name of a field"));
      cursor_.TakeSymbol(':');  // SQL has none.
      FIRN_RETURN_IF_ERROR(ParseRest(field, depth + 1));
      fields.push_back(std::move(field));
    } while (cursor_.TakeSymbol(','));
    FIRN_RETURN_IF_ERROR(ExpectClose());
    return Type::Struct(std::move(fields));
  }

  Result<TypePtr> ParseList(int depth) {
    cursor_.Take();
    FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol('<'));
    FIRN_ASSIGN(NestedField element, ParsePart("element", depth));
    FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol('>'));
    return Type::List(std::move(element));
  }

  Result<TypePtr> ParseMap(int depth) {
    cursor_.Take();
    FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol('<'));
    NestedField key;
    key.name = "key";
    FIRN_ASSIGN(key.type, ParseType(depth + 1));
    FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol(','));
    FIRN_ASSIGN(NestedField value, ParsePart("value", depth));
    FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol('>'));
    return Type::Map(std::move(key), std::move(value));
  }

  Result<NestedField> ParsePart(std::string name, int depth) {
    NestedField part;
    part.name = std::move(name);
    FIRN_ASSIGN(part.type, ParseType(depth + 1));
    FIRN_RETURN_IF_ERROR(ParseConstraints(part, /*may_comment=*/false));
    return part;
  }

  Status ExpectClose() {
    if (cursor_.TakeSymbol('>')) return {};
    return cursor_.Unexpected("',' or '>', or 'not null' or 'comment' of the field");
  }

  Result<TypePtr> ParseDecimal() {
    const size_t offset = cursor_.Take().offset;
    int32_t precision = 10;  // Of a bare "decimal", as in Spark.
    int32_t scale = 0;
    if (cursor_.TakeSymbol('(')) {
      FIRN_ASSIGN(precision, cursor_.TakeNumber("a number of digits"));
      if (cursor_.TakeSymbol(',')) {
        FIRN_ASSIGN(scale, cursor_.TakeNumber("a number of digits after the point"));
      }
      FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol(')'));
    }
    if (precision < 1 || precision > kDecimalDigitsMax || scale > precision) {
      return cursor_.Fail(offset,
                          fmt::format("found decimal({},{}), expected 1 to {} digits, and not more "
                                      "of them after the point",
                                      precision, scale, kDecimalDigitsMax));
    }
    return Type::Decimal(precision, scale);
  }

  Result<TypePtr> ParseFixed() {
    cursor_.Take();
    const char close = cursor_.IsSymbol('(') ? ')' : ']';
    if (close == ')') {
      cursor_.Take();
    } else {
      FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol('['));
    }
    FIRN_ASSIGN(const int32_t length, cursor_.TakeNumber("a number of bytes"));
    FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol(close));
    return Type::Fixed(length);
  }

  Result<TypePtr> ParsePlain(TypeId id) {
    const DefinitionToken name = cursor_.Take();
    const bool is_sized =
        EqualsIgnoreCase(name.text, "char") || EqualsIgnoreCase(name.text, "varchar");
    if (is_sized && cursor_.TakeSymbol('(')) {  // Iceberg's strings have no limit.
      FIRN_RETURN_IF_ERROR(cursor_.TakeNumber("a number of characters"));
      FIRN_RETURN_IF_ERROR(cursor_.ExpectSymbol(')'));
    }
    const bool is_spatial = id == TypeId::kGeometry || id == TypeId::kGeography;
    if (!is_spatial || !cursor_.TakeSymbol('(')) return Type::Primitive(id);
    FIRN_ASSIGN(const std::string parameters, cursor_.TakeRawUntil(')'));
    auto type = ParsePrimitiveType(name.text + "(" + parameters + ")");
    if (!type.ok()) return cursor_.Fail(name.offset, type.error().message());
    return type;
  }

  DefinitionCursor& cursor_;
};

std::string FormatFieldText(const NestedField& field, std::string_view separator) {
  std::string text = FormatDefinitionName(field.name);
  text += separator;
  text += FormatTypeText(*field.type);
  if (field.required) text += " not null";
  if (!field.doc.empty()) text += " comment '" + ReplaceText(field.doc, "'", "''") + "'";
  return text;
}

std::string FormatPartText(const NestedField& part) {
  return FormatTypeText(*part.type) + (part.required ? " not null" : "");
}

std::string FormatFieldsText(const std::vector<NestedField>& fields, std::string_view separator) {
  std::string text;
  for (const NestedField& field : fields) {
    if (!text.empty()) text += ", ";
    text += FormatFieldText(field, separator);
  }
  return text;
}

}  // namespace

Result<Schema> ParseSchemaText(std::string_view text) {
  FIRN_ASSIGN(DefinitionCursor cursor, DefinitionCursor::Open("schema", text));
  FIRN_ASSIGN(std::vector<NestedField> columns, SchemaTextParser(cursor).ParseColumns());
  FIRN_RETURN_IF_ERROR(cursor.ExpectEnd("',' or the end, or 'not null' or 'comment'"));
  int32_t last_id = 0;
  Schema schema(
      0, AssignFreshIds(std::move(columns), [&last_id](const NestedField&) { return ++last_id; }));
  constexpr int kNewestFormatVersion = 3;  // Whoever makes the table checks against its version.
  FIRN_RETURN_IF_ERROR(AsRequest(ValidateSchema(schema, kNewestFormatVersion)));
  return schema;
}

Result<ColumnText> ParseColumnText(std::string_view text) {
  FIRN_ASSIGN(DefinitionCursor cursor, DefinitionCursor::Open("column", text));
  ColumnText result;
  FIRN_ASSIGN(result.path, cursor.TakePath("the name of a column"));
  FIRN_RETURN_IF_ERROR(SchemaTextParser(cursor).ParseRest(result.column, 0));
  FIRN_RETURN_IF_ERROR(cursor.ExpectEnd("its end, or 'not null' or 'comment'"));
  result.column.name = result.path.back();
  return result;
}

Result<TypePtr> ParseTypeText(std::string_view text) {
  FIRN_ASSIGN(DefinitionCursor cursor, DefinitionCursor::Open("type", text));
  FIRN_ASSIGN(TypePtr type, SchemaTextParser(cursor).ParseType(0));
  FIRN_RETURN_IF_ERROR(cursor.ExpectEnd("its end"));
  return type;
}

Result<std::vector<std::string>> ParseColumnPath(std::string_view text) {
  FIRN_ASSIGN(DefinitionCursor cursor, DefinitionCursor::Open("column name", text));
  FIRN_ASSIGN(auto path, cursor.TakePath("the name of a column"));
  FIRN_RETURN_IF_ERROR(cursor.ExpectEnd("its end or '.'"));
  return path;
}

std::string FormatTypeText(const Type& type) {
  if (type.id() == TypeId::kStruct) return "struct<" + FormatFieldsText(type.fields(), ": ") + ">";
  if (type.id() == TypeId::kList) return "list<" + FormatPartText(type.element()) + ">";
  if (type.id() == TypeId::kMap) {
    return "map<" + FormatTypeText(*type.key().type) + ", " + FormatPartText(type.value()) + ">";
  }
  if (type.id() == TypeId::kGeometry) return "geometry('" + type.crs() + "')";
  if (type.id() == TypeId::kGeography) {
    return "geography('" + type.crs() + "', " + type.algorithm() + ")";
  }
  return FormatType(type);
}

std::string FormatSchemaText(const Schema& schema) {
  return FormatFieldsText(schema.fields(), " ");
}

}  // namespace firn
