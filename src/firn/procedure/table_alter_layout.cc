#include <limits>

#include "firn/catalog/table_evolution.h"
#include "firn/io/uri.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

// `table alter T set-sort-order`, `set-location`, `upgrade`.

namespace firn {
namespace {

Result<ProcedureOutput> RunSetSortOrder(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto terms, ParseSortOrderText(arguments.Text("order")));
  FIRN_RETURN_IF_ERROR(ChangeTableOf(context, arguments, [&](const TableMetadata& metadata) {
    return PlanSortOrder(metadata, terms);
  }));
  return MakeEmptyOutput();
}

Result<ProcedureOutput> RunSetLocation(ProcedureContext& context, const Arguments& arguments) {
  const std::string location =
      context.session->AbsoluteLocation(StripTrailingSlash(arguments.Text("location")));
  FIRN_RETURN_IF_ERROR(ChangeTableOf(
      context, arguments, [&](const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
        if (metadata.location == location) return std::vector<TableUpdate>();
        return std::vector<TableUpdate>{SetLocation{location}};
      }));
  return MakeEmptyOutput();
}

Result<ProcedureOutput> RunUpgrade(ProcedureContext& context, const Arguments& arguments) {
  const int64_t version = arguments.Integer("format_version").value_or(0);
  if (version < 1 || version > std::numeric_limits<int>::max()) {
    return MakeError(ErrorCode::kInvalidInput, "format_version is {}, expected 1 to 3", version);
  }
  FIRN_RETURN_IF_ERROR(ChangeTableOf(context, arguments, [&](const TableMetadata& metadata) {
    return PlanUpgrade(metadata, static_cast<int>(version), context.session->random());
  }));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeTableAlterSetSortOrder() {
  return {.command = {"table", "alter", "set-sort-order"},
          .call_name = "table_alter_set_sort_order",
          .summary = "Say how new data is sorted.",
          .arguments = {ChangedTableArgument(),
                        {.name = "order",
                         .is_required = true,
                         .is_positional = true,
                         .help = "'id desc nulls last, truncate(4, name)'; '' for unsorted. The "
                                 "property write.distribution-mode stays as it is."}},
          .can_dry_run = true,
          .run = RunSetSortOrder};
}

Procedure DescribeTableAlterSetLocation() {
  return {.command = {"table", "alter", "set-location"},
          .call_name = "table_alter_set_location",
          .summary = "Put new files elsewhere; those that are there stay where they are.",
          .arguments = {ChangedTableArgument(),
                        {.name = "location",
                         .is_required = true,
                         .is_positional = true,
                         .help = "The folder of new data and metadata files."}},
          .can_dry_run = true,
          .run = RunSetLocation};
}

Procedure DescribeTableAlterUpgrade() {
  return {.command = {"table", "alter", "upgrade"},
          .call_name = "table_alter_upgrade",
          .summary = "Raise the format version of a table; it cannot be lowered again.",
          .arguments = {ChangedTableArgument(),
                        {.name = "format_version",
                         .type = ArgumentType::kInteger,
                         .is_required = true,
                         .is_positional = true,
                         .help = "2 or 3."}},
          .can_dry_run = true,
          .run = RunUpgrade};
}

}  // namespace firn
