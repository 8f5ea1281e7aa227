#include <utility>

#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  const std::vector<std::string> keys = arguments.TextList("keys");
  FIRN_RETURN_IF_ERROR(ChangeTableOf(
      context, arguments, [&](const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
        std::vector<std::string> removals;
        for (const std::string& key : keys) {
          if (metadata.properties.contains(key)) removals.push_back(key);
        }
        if (removals.empty()) return std::vector<TableUpdate>();
        return std::vector<TableUpdate>{RemoveProperties{std::move(removals)}};
      }));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeTableUnset() {
  return {.command = {"table", "unset"},
          .call_name = "table_unset",
          .summary = "Remove properties of a table.",
          .arguments = {ChangedTableArgument(),
                        {.name = "keys",
                         .type = ArgumentType::kTextList,
                         .is_required = true,
                         .is_positional = true,
                         .help = "Keys of properties; missing ones are no error."}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
