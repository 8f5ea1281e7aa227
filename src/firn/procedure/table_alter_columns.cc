#include <utility>

#include "firn/catalog/table_evolution.h"
#include "firn/format/schema/column_lookup.h"
#include "firn/format/schema/schema_text.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

// `table alter T add-column`, `alter-column`: a column and where it stands.

namespace firn {
namespace {

// `first` and `after`.
Result<std::optional<ColumnPosition>> ReadPosition(const Arguments& arguments) {
  const auto after = arguments.OptionalText("after");
  if (arguments.Boolean("first")) {
    if (!after) return std::optional(ColumnPosition{});
    return MakeError(ErrorCode::kInvalidInput, "'first' and 'after' exclude each other");
  }
  if (!after) return std::optional<ColumnPosition>();
  FIRN_ASSIGN(std::string other, ParseColumnName(*after), "after");
  return std::optional(ColumnPosition{ColumnPosition::Kind::kAfter, std::move(other)});
}

Result<std::optional<Value>> ReadDefault(const Arguments& arguments, const Type& type) {
  const auto text = arguments.OptionalText("default");
  if (!text) return std::optional<Value>();
  if (type.is_nested()) {
    return MakeError(ErrorCode::kInvalidInput, "a column of type {} has no default but null",
                     FormatType(type));
  }
  FIRN_ASSIGN(Value value, ParseValue(*text, type), "default");
  return std::optional(std::move(value));
}

Result<ProcedureOutput> RunAdd(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(ColumnText text, ParseColumnText(arguments.Text("column")));
  AddColumn change;
  change.path = std::move(text.path);
  change.type = text.column.type;
  change.is_required = text.column.required;
  change.doc = arguments.Text("doc", text.column.doc);
  FIRN_ASSIGN(change.default_value, ReadDefault(arguments, *change.type));
  FIRN_ASSIGN(change.position, ReadPosition(arguments));
  const std::vector<SchemaChange> changes = {std::move(change)};
  FIRN_RETURN_IF_ERROR(ChangeTableOf(context, arguments, [&](const TableMetadata& metadata) {
    return PlanSchemaChange(metadata, changes);
  }));
  return MakeEmptyOutput();
}

// The default is text until the type of the column is known.
Result<std::vector<TableUpdate>> PlanAlter(const TableMetadata& metadata,
                                           const Arguments& arguments, AlterColumn change) {
  if (arguments.Boolean("drop_default")) change.write_default = Value();
  if (arguments.Has("default")) {
    FIRN_ASSIGN(const NestedField* column, FindColumn(*metadata.current_schema(), change.column));
    const Type& type = change.type ? *change.type : *column->type;
    FIRN_ASSIGN(change.write_default, ReadDefault(arguments, type));
  }
  const std::vector<SchemaChange> changes = {std::move(change)};
  return PlanSchemaChange(metadata, changes);
}

Result<ProcedureOutput> RunAlter(ProcedureContext& context, const Arguments& arguments) {
  AlterColumn change;
  FIRN_ASSIGN(change.column, ParseColumnName(arguments.Text("column")));
  if (const auto type = arguments.OptionalText("type")) {
    FIRN_ASSIGN(change.type, ParseTypeText(*type));
  }
  change.is_optional = arguments.Boolean("drop_not_null");
  change.doc = arguments.OptionalText("doc");
  FIRN_ASSIGN(change.position, ReadPosition(arguments));
  const bool has_default = arguments.Has("default");
  const bool drops_default = arguments.Boolean("drop_default");
  if (has_default && drops_default) {
    return MakeError(ErrorCode::kInvalidInput, "'default' and 'drop_default' exclude each other");
  }
  if (!change.type && !change.is_optional && !change.doc && !change.position && !has_default &&
      !drops_default) {
    return MakeError(ErrorCode::kInvalidInput,
                     "column '{}': it is not said what to change, expected one of type, "
                     "drop_not_null, doc, default, drop_default, first, after",
                     change.column);
  }
  FIRN_RETURN_IF_ERROR(ChangeTableOf(context, arguments, [&](const TableMetadata& metadata) {
    return PlanAlter(metadata, arguments, change);
  }));
  return MakeEmptyOutput();
}

Argument FirstArgument() {
  return {.name = "first",
          .type = ArgumentType::kBoolean,
          .help = "Put it before the other fields of its struct."};
}
Argument AfterArgument() {
  return {.name = "after", .help = "Put it behind this field of its struct."};
}

}  // namespace

Procedure DescribeTableAlterAddColumn() {
  return {.command = {"table", "alter", "add-column"},
          .call_name = "table_alter_add_column",
          .summary = "Add a column, or a field to a struct, also one in a list or a map.",
          .arguments = {ChangedTableArgument(),
                        {.name = "column",
                         .is_required = true,
                         .is_positional = true,
                         .help = "'name type', as in 'a.b int'; 'not null' needs a default."},
                        {.name = "doc", .help = "What the column means."},
                        {.name = "default",
                         .help = "Value of rows that have none, those that are there too; format "
                                 "version 3."},
                        FirstArgument(),
                        AfterArgument()},
          .can_dry_run = true,
          .run = RunAdd};
}

Procedure DescribeTableAlterAlterColumn() {
  return {.command = {"table", "alter", "alter-column"},
          .call_name = "table_alter_alter_column",
          .summary = "Widen the type of a column, or change what else is said about it.",
          .arguments =
              {ChangedTableArgument(),
               {.name = "column", .is_required = true, .is_positional = true, .help = "Its name."},
               {.name = "type",
                .help = "A wider type: bigint for int, double for float, more digits of a "
                        "decimal; from format version 3 on timestamp for date."},
               {.name = "drop_not_null", .type = ArgumentType::kBoolean, .help = "Allow nulls."},
               {.name = "doc", .help = "What the column means."},
               {.name = "default", .help = "Value of new rows that have none; format version 3."},
               {.name = "drop_default",
                .type = ArgumentType::kBoolean,
                .help = "New rows that have no value get null."},
               FirstArgument(),
               AfterArgument()},
          .can_dry_run = true,
          .run = RunAlter};
}

}  // namespace firn
