#include <utility>

#include "firn/catalog/table_evolution.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

// `table alter T add-partition-field`, `drop-partition-field`, `replace-partition-field`.

namespace firn {
namespace {

Result<ProcedureOutput> Commit(ProcedureContext& context, const Arguments& arguments,
                               const std::vector<PartitionChange>& changes) {
  FIRN_RETURN_IF_ERROR(ChangeTableOf(context, arguments, [&](const TableMetadata& metadata) {
    return PlanPartitionChange(metadata, changes);
  }));
  return MakeEmptyOutput();
}

// A new field; its name is in the text or the argument `as`.
Result<PartitionTerm> ReadNewField(const Arguments& arguments, const std::string& text) {
  FIRN_ASSIGN(PartitionTerm term, ParsePartitionFieldText(text));
  const auto name = arguments.OptionalText("as");
  if (name && term.name && *name != *term.name) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the partition field is to be called both '{}' and '{}'", *term.name, *name);
  }
  if (name) term.name = name;
  return term;
}

Result<ProcedureOutput> RunAdd(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(PartitionTerm term, ReadNewField(arguments, arguments.Text("field")));
  return Commit(context, arguments, {AddPartitionField{std::move(term)}});
}

Result<ProcedureOutput> RunDrop(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(PartitionTerm term, ParsePartitionFieldText(arguments.Text("field")));
  return Commit(context, arguments, {DropPartitionField{std::move(term)}});
}

Result<ProcedureOutput> RunReplace(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(PartitionTerm old, ParsePartitionFieldText(arguments.Text("field")));
  FIRN_ASSIGN(PartitionTerm term, ReadNewField(arguments, arguments.Text("new_field")));
  return Commit(context, arguments,
                {DropPartitionField{std::move(old)}, AddPartitionField{std::move(term)}});
}

Argument NewFieldArgument(std::string name) {
  return {.name = std::move(name),
          .is_required = true,
          .is_positional = true,
          .help = "A column or a transform of one: 'bucket(16, id)', 'days(ts)'."};
}
Argument OldFieldArgument() {
  return {.name = "field",
          .is_required = true,
          .is_positional = true,
          .help = "A partition field by its name or its transform."};
}
Argument NameArgument() {
  return {
      .name = "as", .help = "Name of the new field.", .default_text = "made from the transform"};
}

}  // namespace

Procedure DescribeTableAlterAddPartitionField() {
  return {.command = {"table", "alter", "add-partition-field"},
          .call_name = "table_alter_add_partition_field",
          .summary = "Partition new data by one more field.",
          .arguments = {ChangedTableArgument(), NewFieldArgument("field"), NameArgument()},
          .can_dry_run = true,
          .run = RunAdd};
}

Procedure DescribeTableAlterDropPartitionField() {
  return {.command = {"table", "alter", "drop-partition-field"},
          .call_name = "table_alter_drop_partition_field",
          .summary = "Partition new data by one field less.",
          .arguments = {ChangedTableArgument(), OldFieldArgument()},
          .can_dry_run = true,
          .run = RunDrop};
}

Procedure DescribeTableAlterReplacePartitionField() {
  return {.command = {"table", "alter", "replace-partition-field"},
          .call_name = "table_alter_replace_partition_field",
          .summary = "Partition new data by another field.",
          .arguments = {ChangedTableArgument(), OldFieldArgument(), NewFieldArgument("new_field"),
                        NameArgument()},
          .can_dry_run = true,
          .run = RunReplace};
}

}  // namespace firn
